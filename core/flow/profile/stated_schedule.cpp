#include "flow/profile/stated_schedule.h"

#include "export/trace.h"
#include "flow/profiled_run.h"
#include "graph/operator_names.h"
#include "results/files/schedule_parts.h"
#include "results/files/streams_parts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;

// An object, or null.
Json statedObject(const ProfiledStage &stage, std::string_view name)
{
    const auto *text = statedFact<std::string>(stage.facts, name);
    Json object = text ? Json::parse(*text, nullptr, false) : Json();
    return object.is_object() ? object : Json();
}

std::optional<Stage> statedStage(const ProfiledStage &stated, const OperatorNames &names)
{
    const auto *block = statedFact<std::int64_t>(stated.facts, kBlockFact);
    const auto *word = statedFact<std::string>(stated.facts, kStrategyFact);
    const auto strategy = word ? strategyFromString(*word) : std::nullopt;
    const Json plan = statedObject(stated, kPlanFact);
    if (!block || *block < 1 || !strategy || plan.is_null())
        return std::nullopt;
    Stage stage;
    stage.block = static_cast<std::size_t>(*block - 1);
    stage.strategy = *strategy;
    return readGroups(plan, names, stage) ? std::optional(std::move(stage)) : std::nullopt;
}

} // namespace

std::optional<StatedSchedule> statedSchedule(const Graph &graph, const Profile &profile)
{
    if (profile.stages.empty())
        return std::nullopt;
    const OperatorNames names(graph);
    StatedSchedule stated;
    if (const Json plan = statedObject(profile.stages.front(), kPlanFact); plan.contains("streams")) {
        auto streams = streamsFrom(plan, names);
        if (!streams)
            return std::nullopt;
        stated.schedule.streams = std::move(*streams);
        return stated;
    }
    for (const ProfiledStage &each : profile.stages) {
        auto stage = statedStage(each, names);
        if (!stage)
            return std::nullopt;
        stated.schedule.stages.push_back(std::move(*stage));
        stated.timings.push_back(Timing::ofLatency(profiledUs(each.endNs - each.startNs)));
    }
    return stated;
}

std::vector<CounterSeries> statedCounters(const Profile &profile)
{
    const Json maxima = profile.stages.empty() ? Json() : statedObject(profile.stages.front(), kMaximaFact);
    std::vector<CounterSeries> counters;
    for (const ProfiledCounter &counter : profile.counters) {
        const std::size_t kind = counter.name.rfind(" (");
        if (kind == std::string::npos || !counter.name.ends_with(')'))
            continue;
        const auto maximum = maxima.find(counter.name);
        counters.push_back({.name = counter.name.substr(0, kind),
                            .unit = counter.unit,
                            .kind = counter.name.substr(kind + 2, counter.name.size() - kind - 3),
                            .maximum = maximum != maxima.end() && maximum->is_number() ? maximum->get<double>() : 0,
                            .timesNs = counter.timesNs,
                            .values = counter.values});
    }
    return counters;
}

} // namespace stagecraft
