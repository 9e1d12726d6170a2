#include "flow/find/wavefront_schedule.h"

#include "schedule/stage_groups.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace stagecraft {

namespace {

// The stages of a block and the boundaries between them.
Result<double> latencyUs(const std::vector<Stage> &stages, DeviceSession &session, const std::stop_token &stop)
{
    double us = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        TRY_AS(const auto latency, session.stageLatency(stages[i], stop));
        us += latency.timing.latencyUs;
        us += i > 0 ? session.boundaryCost().between(stages[i - 1], stages[i]) : 0;
    }
    return us;
}

} // namespace

Result<TimedSchedule> wavefrontSchedule(const Model &model, DeviceSession &session, std::stop_token stop)
{
    TimedSchedule schedule;
    schedule.context.batch = model.graph->batch();
    schedule.search.strategy = "wavefront";
    for (std::size_t block = 0; block < model.blocks.size(); ++block) {
        const std::vector<OperatorId> &operators = model.blocks[block].operators;
        std::vector<Stage> alone;
        for (const OperatorId id : operators)
            alone.push_back(stageAlone(id, block));
        TRY_AS(const double aloneUs, latencyUs(alone, session, stop));
        std::vector<Stage> fused{stageOf(*model.graph, block, operators, Strategy::Fused)};
        const auto fusedUs = operators.size() > 1 ? latencyUs(fused, session, stop)
                                                  : Result<double>(std::numeric_limits<double>::infinity());
        const bool isUnavailable = !fusedUs && fusedUs.error().code == ErrorCode::DeviceFailed;
        if (!fusedUs && !isUnavailable)
            return tl::unexpected(fusedUs.error());
        std::vector<Stage> &taken = fusedUs && *fusedUs < aloneUs ? fused : alone;
        std::ranges::move(taken, std::back_inserter(schedule.stages));
    }
    return schedule;
}

} // namespace stagecraft
