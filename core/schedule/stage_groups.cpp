#include "schedule/stage_groups.h"

#include <algorithm>
#include <numeric>

namespace stagecraft {

Stage stageOf(const Graph &graph, std::size_t block, std::vector<OperatorId> operators, Strategy strategy)
{
    std::ranges::sort(operators);
    const bool isMerge = strategy == Strategy::Merge && operators.size() > 1;
    Stage stage{block, strategy == Strategy::Merge && !isMerge ? Strategy::Concurrent : strategy, {}};
    // Union-find: for every operator, a lower operator connected to it, or itself.
    std::vector<std::size_t> lower(operators.size());
    std::iota(lower.begin(), lower.end(), std::size_t{0});
    const auto lowest = [&](std::size_t at) {
        while (lower[at] != at)
            at = lower[at] = lower[lower[at]];
        return at;
    };
    for (std::size_t i = 0; !isMerge && i < operators.size(); ++i) {
        for (const OperatorId producer : graph.predecessors(operators[i])) {
            const auto found = std::ranges::lower_bound(operators, producer);
            if (found == operators.end() || *found != producer)
                continue;
            const std::size_t one = lowest(i);
            const std::size_t other = lowest(static_cast<std::size_t>(found - operators.begin()));
            lower[std::max(one, other)] = std::min(one, other);
        }
    }
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> groupOf(operators.size(), kNone); // by the lowest operator of the group
    for (std::size_t i = 0; i < operators.size(); ++i) {
        std::size_t &group = groupOf[lowest(i)];
        if (group == kNone) {
            group = stage.groups.size();
            stage.groups.emplace_back();
        }
        stage.groups[group].push_back(operators[i]);
    }
    return stage;
}

std::vector<OperatorId> operatorsOf(const Stage &stage)
{
    std::vector<OperatorId> operators;
    for (const auto &group : stage.groups)
        operators.insert(operators.end(), group.begin(), group.end());
    std::ranges::sort(operators);
    return operators;
}

bool shareOperators(const Stage &one, const Stage &other)
{
    const auto a = operatorsOf(one);
    const auto b = operatorsOf(other);
    return std::ranges::find_first_of(a, b) != a.end();
}

std::vector<std::size_t> stageOfOperators(const Graph &graph, std::span<const Stage> stages)
{
    std::vector<std::size_t> stageOf(graph.size(), stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const auto &group : stages[i].groups) {
            for (const OperatorId id : group)
                stageOf[id.index()] = i;
        }
    }
    return stageOf;
}

Strategy strategyApart(std::span<const Stage> stages, std::span<const std::size_t> stageOf,
                       std::span<const OperatorId> operators)
{
    const std::size_t from = stageOf[operators.front().index()];
    const bool wereTogether =
        std::ranges::all_of(operators, [&](OperatorId id) { return stageOf[id.index()] == from; });
    return wereTogether ? stages[from].strategy : Strategy::Concurrent;
}

} // namespace stagecraft
