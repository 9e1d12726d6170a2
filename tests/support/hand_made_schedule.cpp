#include "support/hand_made_schedule.h"

#include "schedule/merge.h"

#include <algorithm>
#include <map>

namespace stagecraft::test {
namespace {

using Operators = std::vector<OperatorId>;

// Levels by distance from the end of the block, the first level first. Operators of a level do not depend on each
// other.
std::vector<Operators> lateLevels(const Graph &graph, const Block &block)
{
    std::map<OperatorId, std::size_t> distance;
    std::vector<Operators> levels;
    for (auto id = block.operators.rbegin(); id != block.operators.rend(); ++id) {
        std::size_t mine = 0;
        for (const OperatorId successor : graph.successors(*id)) {
            if (const auto found = distance.find(successor); found != distance.end())
                mine = std::max(mine, found->second + 1);
        }
        distance[*id] = mine;
        levels.resize(std::max(levels.size(), mine + 1));
        levels[mine].push_back(*id);
    }
    std::ranges::reverse(levels);
    for (Operators &level : levels)
        std::ranges::sort(level);
    return levels;
}

// Removes sets of mergeable convolutions that read the same from the level: with others, files may have the operators
// in another order.
std::vector<Operators> takeMerges(const Graph &graph, Operators &level)
{
    std::vector<Operators> merges;
    Operators rest;
    while (!level.empty()) {
        Operators merge{level.front()};
        Operators others;
        for (std::size_t i = 1; i < level.size(); ++i) {
            merge.push_back(level[i]);
            if (!readTheSame(graph, merge) || !mergedOperator(graph, merge)) {
                merge.pop_back();
                others.push_back(level[i]);
            }
        }
        if (merge.size() > 1)
            merges.push_back(merge);
        else
            rest.push_back(merge.front());
        level = others;
    }
    level = rest;
    return merges;
}

// Weakly connected components; there are no edges within a level.
std::vector<Operators> components(const Graph &graph, const Operators &first, const Operators &second)
{
    std::vector<Operators> groups;
    for (const OperatorId id : first)
        groups.push_back({id});
    for (const OperatorId id : second) {
        Operators joined{id};
        std::vector<Operators> apart;
        for (Operators &group : groups) {
            const bool feeds = std::ranges::any_of(
                graph.predecessors(id), [&](OperatorId read) { return std::ranges::find(group, read) != group.end(); });
            if (feeds)
                joined.insert(joined.end(), group.begin(), group.end());
            else
                apart.push_back(std::move(group));
        }
        apart.push_back(std::move(joined));
        groups = std::move(apart);
    }
    return groups;
}

} // namespace

TimedSchedule handMadeSchedule(const Graph &graph, const Blocks &blocks)
{
    TimedSchedule schedule;
    schedule.search.strategy = "edited";
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        const auto addMerges = [&](const std::vector<Operators> &merges) {
            for (const Operators &merge : merges) {
                Stage stage{block, Strategy::Merge, {}};
                for (const OperatorId id : merge)
                    stage.groups.push_back({id});
                schedule.stages.push_back(normalized(std::move(stage)));
            }
        };
        std::vector<Operators> levels = lateLevels(graph, blocks[block]);
        levels.resize((levels.size() + 1) / 2 * 2);
        for (std::size_t i = 0; i < levels.size(); i += 2) {
            addMerges(takeMerges(graph, levels[i]));
            const std::vector<Operators> later = takeMerges(graph, levels[i + 1]);
            Stage stage{block, Strategy::Concurrent, components(graph, levels[i], levels[i + 1])};
            if (!stage.groups.empty())
                schedule.stages.push_back(normalized(std::move(stage)));
            addMerges(later);
        }
    }
    return schedule;
}

} // namespace stagecraft::test
