#include "results/files/block_search_json.h"

#include "results/files/schedule_parts.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {

nlohmann::ordered_json blockSearchJson(const BlockSearch &block, const OperatorNames &names)
{
    auto runnersUp = nlohmann::ordered_json::array();
    for (const RunnerUp &runnerUp : block.runnersUp)
        runnersUp.push_back({{"strategy", toString(runnerUp.stage.strategy)},
                             {"groups", groupsJson(names, runnerUp.stage)},
                             {"latency_us", runnerUp.latencyUs},
                             {"extra_us", runnerUp.extraUs},
                             {"measured", runnerUp.measured}});
    return {{"block", block.block},
            {"states", block.states},
            {"transitions", block.transitions},
            {"stage_measurements", block.stageMeasurements},
            {"cache_hits", block.cacheHits},
            {"latency_us", block.latencyUs},
            {"lower_bound_us", block.lowerBoundUs},
            {"in_place_bound_us", block.inPlaceBoundUs},
            {"runners_up", std::move(runnersUp)}};
}

} // namespace stagecraft
