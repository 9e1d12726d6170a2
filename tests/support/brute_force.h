#pragma once

// All schedules of a small graph, enumerated front to back from the definitions: without endings, dynamic program or
// signatures. Latencies are summed in running order. With pinned stages in the options (in normal form), only the
// schedules that have them.

#include "graph/block.h"
#include "schedule/merge.h"
#include "search/stages/search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft::test {

// For rows of data: 0 means no bound.
[[nodiscard]] inline std::optional<int> boundOf(int value)
{
    return value > 0 ? std::optional(value) : std::nullopt;
}

class BruteForce {
public:
    BruteForce(const Graph &graph, const Blocks &blocks, SearchOptions options)
        : m_graph(graph), m_blocks(blocks), m_options(options), m_done(graph.size(), false)
    {
    }

    // Which schedules count; empty: all.
    std::function<bool(std::span<const Stage>)> accepts;

    struct Answer {
        double bestUs = std::numeric_limits<double>::infinity();
        std::int64_t schedules = 0;
    };

    Answer run(StageLatencySource &source)
    {
        m_source = &source;
        m_boundary = source.boundaryCost();
        m_answer = {};
        visit(0, 0, nullptr);
        return m_answer;
    }

private:
    void visit(std::size_t block, double soFarUs, const Stage *before)
    {
        while (block < m_blocks.size() && isDone(m_blocks[block]))
            ++block;
        if (block == m_blocks.size()) {
            if (accepts && !accepts(m_path))
                return;
            ++m_answer.schedules;
            m_answer.bestUs = std::min(m_answer.bestUs, soFarUs);
            return;
        }
        const auto &operators = m_blocks[block].operators;
        for (std::uint32_t subset = 1; subset < (1u << operators.size()); ++subset) {
            std::vector<OperatorId> chosen;
            for (std::size_t i = 0; i < operators.size(); ++i) {
                if ((subset >> i & 1) != 0)
                    chosen.push_back(operators[i]);
            }
            if (!canRun(chosen))
                continue;
            if (touchesPin(chosen)) {
                for (const Stage &pin : m_options.pinned) {
                    if (membersOf(pin) == chosen)
                        step(block, pin, chosen, soFarUs, before);
                }
                continue;
            }
            for (const Stage &stage : stages(block, chosen))
                step(block, stage, chosen, soFarUs, before);
        }
    }

    static std::vector<OperatorId> membersOf(const Stage &stage)
    {
        std::vector<OperatorId> members;
        for (const auto &group : stage.groups)
            members.insert(members.end(), group.begin(), group.end());
        std::ranges::sort(members);
        return members;
    }

    bool touchesPin(const std::vector<OperatorId> &chosen) const
    {
        return std::ranges::any_of(m_options.pinned, [&](const Stage &pin) {
            const auto members = membersOf(pin);
            return std::ranges::any_of(chosen, [&](OperatorId id) { return std::ranges::binary_search(members, id); });
        });
    }

    void step(std::size_t block, const Stage &stage, const std::vector<OperatorId> &chosen, double soFarUs,
              const Stage *before)
    {
        const double latencyUs = latency(stage);
        double totalUs = soFarUs;
        if (before)
            totalUs += m_boundary.between(*before, stage);
        totalUs += latencyUs;
        for (const OperatorId id : chosen)
            m_done[id.index()] = true;
        m_path.push_back(stage);
        visit(block, totalUs, &stage);
        m_path.pop_back();
        for (const OperatorId id : chosen)
            m_done[id.index()] = false;
    }

    bool isDone(const Block &block) const
    {
        return std::ranges::all_of(block.operators, [&](OperatorId id) { return m_done[id.index()]; });
    }

    bool canRun(const std::vector<OperatorId> &chosen) const
    {
        for (const OperatorId id : chosen) {
            if (m_done[id.index()])
                return false;
            for (const OperatorId producer : m_graph.predecessors(id)) {
                if (!m_done[producer.index()] && std::ranges::find(chosen, producer) == chosen.end())
                    return false;
            }
        }
        return true;
    }

    std::vector<Stage> stages(std::size_t block, const std::vector<OperatorId> &chosen) const
    {
        std::vector<Stage> result;
        const Stage concurrent = components(block, chosen);
        const bool alone = chosen.size() == 1;
        if ((m_options.strategies != StrategySet::Merge || alone) && isAllowed(concurrent))
            result.push_back(concurrent);
        const bool areApart = concurrent.groups.size() == chosen.size();
        if (m_options.strategies != StrategySet::Parallel && !alone && areApart && mergedOperator(m_graph, chosen) &&
            (readTheSame(m_graph, chosen) || m_options.strategies == StrategySet::All) &&
            (!m_options.s || chosen.size() <= static_cast<std::size_t>(*m_options.s))) {
            Stage merge{block, Strategy::Merge, {}};
            for (const OperatorId id : chosen)
                merge.groups.push_back({id});
            result.push_back(merge);
        }
        if (m_options.strategies == StrategySet::All && areWholeWaves(block, chosen)) {
            Stage fused = concurrent;
            fused.strategy = Strategy::Fused;
            result.push_back(fused);
        }
        return result;
    }

    // The depths in the block of what is chosen are those of no other operator, there is none between them, and all
    // before them have run.
    bool areWholeWaves(std::size_t block, const std::vector<OperatorId> &chosen) const
    {
        std::map<OperatorId, int> depth;
        for (const OperatorId id : m_blocks[block].operators) {
            int deepest = 0;
            for (const OperatorId producer : m_graph.predecessors(id)) {
                if (const auto found = depth.find(producer); found != depth.end())
                    deepest = std::max(deepest, found->second + 1);
            }
            depth[id] = deepest;
        }
        const auto [first, last] = std::ranges::minmax(chosen, {}, [&](OperatorId id) { return depth[id]; });
        const auto isBetween = [&](const auto &one) { return one.second >= depth[first] && one.second <= depth[last]; };
        const auto hasRun = [&](const auto &one) { return one.second >= depth[first] || m_done[one.first.index()]; };
        return std::ranges::count_if(depth, isBetween) == std::ssize(chosen) && std::ranges::all_of(depth, hasRun);
    }

    Stage components(std::size_t block, const std::vector<OperatorId> &chosen) const
    {
        std::vector<std::size_t> root(chosen.size());
        std::iota(root.begin(), root.end(), 0);
        for (std::size_t pass = 0; pass < chosen.size(); ++pass) {
            for (std::size_t i = 0; i < chosen.size(); ++i) {
                for (std::size_t j = 0; j < chosen.size(); ++j) {
                    const auto producers = m_graph.predecessors(chosen[i]);
                    if (std::ranges::find(producers, chosen[j]) != producers.end())
                        root[i] = root[j] = std::min(root[i], root[j]);
                }
            }
        }
        std::map<std::size_t, std::vector<OperatorId>> groups;
        for (std::size_t i = 0; i < chosen.size(); ++i)
            groups[root[i]].push_back(chosen[i]);
        Stage stage{block, Strategy::Concurrent, {}};
        for (const auto &[first, group] : groups)
            stage.groups.push_back(group);
        return normalized(stage);
    }

    bool isAllowed(const Stage &stage) const
    {
        if (m_options.s && stage.groups.size() > static_cast<std::size_t>(*m_options.s))
            return false;
        return std::ranges::all_of(stage.groups, [&](const auto &group) {
            const auto isSource = [&](OperatorId id) {
                return std::ranges::none_of(m_graph.predecessors(id), [&](OperatorId producer) {
                    return std::ranges::find(group, producer) != group.end();
                });
            };
            return (!m_options.r || group.size() <= static_cast<std::size_t>(*m_options.r)) &&
                   (!m_options.singleSource || std::ranges::count_if(group, isSource) == 1);
        });
    }

    double latency(const Stage &stage)
    {
        const auto [found, fresh] = m_latencies.try_emplace({stage.strategy, stage.groups}, 0);
        if (fresh) {
            const auto answer = m_source->stageLatency(stage, {});
            found->second = answer ? answer->timing.latencyUs : std::numeric_limits<double>::infinity();
        }
        return found->second;
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    SearchOptions m_options;
    std::vector<bool> m_done;
    std::vector<Stage> m_path;
    StageLatencySource *m_source = nullptr;
    BoundaryCost m_boundary;
    std::map<std::pair<Strategy, std::vector<std::vector<OperatorId>>>, double> m_latencies;
    Answer m_answer;
};

} // namespace stagecraft::test
