#include "schedule/schedule.h"

#include "schedule/strategy_words.h"

#include <algorithm>
#include <iterator>

namespace stagecraft {

std::string_view toString(Strategy strategy)
{
    return std::ranges::find(Words<Strategy>::table, strategy, &Word<Strategy>::value)->text;
}

std::optional<Strategy> strategyFromString(std::string_view text)
{
    const auto found = std::ranges::find(Words<Strategy>::table, text, &Word<Strategy>::text);
    return found == std::end(Words<Strategy>::table) ? std::nullopt : std::optional(found->value);
}

std::size_t Stage::operatorCount() const
{
    std::size_t count = 0;
    for (const auto &group : groups)
        count += group.size();
    return count;
}

Stage stageAlone(OperatorId id, std::size_t block)
{
    return {block, Strategy::Concurrent, {{id}}};
}

Stage normalized(Stage stage)
{
    for (auto &group : stage.groups)
        std::ranges::sort(group);
    std::ranges::sort(stage.groups);
    return stage;
}

Synchronisation synchronisationOf(const Schedule &schedule)
{
    if (schedule.streams)
        return {schedule.streams->count, schedule.streams->eventCount(), 0};
    Synchronisation made{.barriers = schedule.stages.empty() ? 0 : schedule.stages.size() - 1};
    for (const Stage &stage : schedule.stages)
        made.streams = std::max(made.streams, stage.concurrentGroups());
    return made;
}

} // namespace stagecraft
