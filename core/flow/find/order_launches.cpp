#include "flow/find/order_launches.h"

#include "flow/find/measured.h"
#include "measure/rounds.h"
#include "schedule/stage_groups.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr LaunchOrderLimits kWhereNoisy{.exact = 6, .moves = 0};

// Of the operators of the stage, alone; 0 for all others.
Result<std::vector<double>> latenciesOf(const Stage &stage, const Graph &graph, DeviceSession &session)
{
    std::vector<double> latenciesUs(graph.size(), 0);
    for (const OperatorId id : operatorsOf(stage)) {
        TRY_AS(const auto latency, session.stageLatency(stageAlone(id, stage.block), {}));
        latenciesUs[id.index()] = latency.timing.latencyUs;
    }
    return latenciesUs;
}

} // namespace

Result<LaunchOrderChoice> fastestLaunchOrder(Stage stage, const Graph &graph, DeviceSession &session,
                                             const std::stop_token &stop)
{
    const StageTime time = [&](const Stage &asked) -> Result<double> {
        TRY_AS(const auto latency, session.stageLatency(asked, {}));
        return latency.timing.latencyUs;
    };
    stage.launchOrder.clear();
    TRY_AS(const double us, time(stage));
    TRY_AS(const auto latenciesUs, latenciesOf(stage, graph, session));
    return chooseLaunchOrder(graph, stage, us, latenciesUs, time, session.isNoisy() ? kWhereNoisy : LaunchOrderLimits(),
                             stop);
}

Result<void> orderLaunches(TimedSchedule &found, const Model &model, DeviceSession &session, const DeviceInfo &device,
                           std::span<const Stage> pinned, const LaunchOrderProgress &progress,
                           const std::stop_token &stop)
{
    if (stop.stop_requested() || device.provenance == Provenance::Recorded)
        return {};
    ChosenLaunchOrders record{.withoutUs = *found.latencyUs(), .withUs = *found.latencyUs()};
    TimedSchedule ordered = found;
    bool areSomeKept = false;
    for (std::size_t i = 0; i < ordered.stages.size() && !stop.stop_requested(); ++i) {
        Stage &stage = ordered.stages[i];
        if (!hasLaunchOrders(stage))
            continue;
        if (std::ranges::find(pinned, stage) != pinned.end()) {
            areSomeKept = true;
            continue;
        }
        if (progress)
            progress(i, ordered.stages.size());
        auto choice = fastestLaunchOrder(stage, *model.graph, session, stop);
        if (!choice && choice.error().code == ErrorCode::DeviceFailed)
            continue; // what was found is not lost
        TRY(choice);
        ++record.stagesTried;
        record.stagesExact += choice->areAllTried ? 1 : 0;
        record.ordersTried += choice->tried;
        record.stages += choice->stage.launchOrder.empty() ? 0 : 1;
        stage = std::move(choice->stage);
    }
    if (record.stagesTried == 0 && (areSomeKept || stop.stop_requested()))
        return {};
    if (session.isNoisy() && record.stages > 0) {
        const std::array<Schedule, 2> both{found, ordered};
        const auto times = measureSchedulesInRounds(both, session, kDefaultRounds, stop);
        if (!times && times.error().code != ErrorCode::Cancelled && times.error().code != ErrorCode::DeviceFailed)
            return tl::unexpected(times.error());
        if (!times || (*times)[1].timing.latencyUs >= (*times)[0].timing.latencyUs) {
            record.stages = 0;
        } else {
            record.withoutUs = (*times)[0].timing.latencyUs;
            record.withUs = (*times)[1].timing.latencyUs;
        }
    }
    if (record.stages > 0) {
        ordered.search = found.search;
        auto measured = measureInto(ordered, model, session, device, {});
        if (!measured && measured.error().code != ErrorCode::DeviceFailed)
            return measured;
        record.stages = measured ? record.stages : 0;
        if (measured && !session.isNoisy())
            record.withUs = *ordered.latencyUs();
    }
    if (record.stages > 0)
        found = std::move(ordered);
    found.search.launchOrders = record;
    return {};
}

} // namespace stagecraft
