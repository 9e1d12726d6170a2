#include "schedule/schedule.h"

#include <algorithm>

namespace stagecraft {

std::string_view toString(Strategy strategy)
{
    switch (strategy) {
    case Strategy::Concurrent: return "concurrent";
    case Strategy::Merge: return "merge";
    }
    return "";
}

std::optional<Strategy> strategyFromString(std::string_view text)
{
    for (const Strategy strategy : {Strategy::Concurrent, Strategy::Merge}) {
        if (toString(strategy) == text)
            return strategy;
    }
    return std::nullopt;
}

std::size_t Stage::operatorCount() const
{
    std::size_t count = 0;
    for (const auto &group : groups)
        count += group.size();
    return count;
}

bool Schedule::leavesOutWork(const Graph &graph, std::size_t stage) const
{
    return leavesOutWork() && !areCosted(graph, stages[stage].groups);
}

Stage normalized(Stage stage)
{
    for (auto &group : stage.groups)
        std::ranges::sort(group);
    std::ranges::sort(stage.groups);
    return stage;
}

} // namespace stagecraft
