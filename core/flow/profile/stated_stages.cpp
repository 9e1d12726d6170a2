#include "flow/profile/stated_stages.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace stagecraft {
namespace {

using Facts = std::vector<std::pair<std::string, ProfiledFact>>;

template <typename T>
std::optional<T> statedFact(const Facts &facts, std::string_view name)
{
    const auto found = std::ranges::find(facts, name, &Facts::value_type::first);
    const T *value = found == facts.end() ? nullptr : std::get_if<T>(&found->second);
    return value ? std::optional(*value) : std::nullopt;
}

// A number from 1 to `most` as a place.
std::optional<std::size_t> statedPlace(const Facts &facts, std::string_view name, std::size_t most)
{
    const auto number = statedFact<std::int64_t>(facts, name);
    if (!number || *number < 1 || std::cmp_greater(*number, most))
        return std::nullopt;
    return static_cast<std::size_t>(*number - 1);
}

std::optional<Stage> emptyStage(const ProfiledStage &stated, std::size_t operators)
{
    const auto block = statedPlace(stated.facts, "block", operators);
    const auto strategy = strategyFromString(statedFact<std::string>(stated.facts, "strategy").value_or(""));
    if (!block || !strategy || *strategy == Strategy::Fused)
        return std::nullopt;
    Stage stage;
    stage.block = *block;
    stage.strategy = *strategy;
    return stage;
}

void putInto(OperatorId id, std::size_t group, Stage &stage)
{
    const std::size_t place = stage.isMerged() ? stage.groups.size() : group;
    if (place >= stage.groups.size())
        stage.groups.resize(place + 1);
    stage.groups[place].push_back(id);
}

} // namespace

std::optional<StatedStages> statedStages(const Graph &graph, const ImportedProfile &imported,
                                         std::span<const SpanInRun> spans)
{
    const Profile &profile = imported.profile;
    StatedStages stated;
    for (const ProfiledStage &stage : profile.stages) {
        auto made = emptyStage(stage, graph.size());
        if (!made)
            return std::nullopt;
        stated.stages.push_back(std::move(*made));
        stated.timings.push_back(Timing::ofLatency(profiledUs(stage.endNs - stage.startNs)));
    }
    std::vector<bool> isPlaced(graph.size(), false);
    for (const SpanInRun &span : spans) {
        const Facts &facts = profile.kernels[span.kernel].facts;
        const auto stage = statedPlace(facts, "stage", stated.stages.size());
        const auto group = statedPlace(facts, "group", graph.size());
        const auto &mapping = imported.mappings[span.kernel];
        if (!stage || !group || !mapping)
            return std::nullopt;
        for (const OperatorId id : mapping->operators) {
            if (!isPlaced[id.index()])
                putInto(id, *group, stated.stages[*stage]);
            isPlaced[id.index()] = true;
        }
    }
    const auto isWhole = [](const Stage &stage) {
        return !stage.groups.empty() &&
               std::ranges::none_of(stage.groups, [](const auto &group) { return group.empty(); });
    };
    if (stated.stages.empty() || !std::ranges::all_of(stated.stages, isWhole) ||
        std::ranges::count(isPlaced, false) > 0)
        return std::nullopt;
    for (Stage &stage : stated.stages)
        stage = normalized(std::move(stage));
    return stated;
}

} // namespace stagecraft
