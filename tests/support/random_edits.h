#pragma once

// Random edits of the schedules of a random graph. Deterministic in the seed.

#include "schedule/compare/spans.h"
#include "schedule/edit/edit.h"
#include "schedule/stage_groups.h"
#include "support/random_graph.h"

#include <algorithm>
#include <random>
#include <vector>

namespace stagecraft::test {

// Draws edits of a random graph's schedules, legal and illegal.
struct RandomEdits {
    std::mt19937 engine;
    Graph graph;
    Blocks blocks;

    RandomEdits(std::uint32_t seed, int operators, std::size_t blockCount) : engine(seed)
    {
        RandomGraphOptions options;
        options.operators = operators;
        options.density = 0.1 + 0.1 * (seed % 4);
        options.sharedInput = 0.2 + 0.2 * (seed % 4);
        options.kinds = 1 + static_cast<int>(seed % 3);
        graph = randomGraph(seed, options);
        blocks = consecutiveBlocks(graph, blockCount);
    }

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); }

    [[nodiscard]] std::vector<Stage> sequential() const
    {
        std::vector<Stage> stages;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            for (const OperatorId id : blocks[b].operators)
                stages.push_back({b, Strategy::Concurrent, {{id}}});
        }
        return stages;
    }

    // Operators near each other, as a person picks them: some of a stage and its neighbours.
    std::vector<OperatorId> someOperators(const std::vector<Stage> &stages)
    {
        const std::size_t from = below(stages.size());
        std::vector<OperatorId> result;
        const std::size_t count = 1 + below(3);
        for (std::size_t i = 0; i < count; ++i) {
            const auto all = operatorsOf(stages[std::min(stages.size() - 1, from + below(2))]);
            result.push_back(all[below(all.size())]);
        }
        return result;
    }

    // Legal or illegal, sometimes with stages and operators that do not exist.
    Edit anyEdit(const std::vector<Stage> &stages, const std::vector<Stage> &origin)
    {
        const auto stage = [&] { return below(50) == 0 ? stages.size() + below(3) : below(stages.size()); };
        auto operators = someOperators(stages);
        if (below(100) == 0)
            operators.push_back(OperatorId::fromIndex(graph.size() + below(2)));
        const std::size_t near = stage();
        const std::size_t next = std::min(stages.size(), near + 1 + below(2));
        switch (below(11)) {
        case 0:
        case 1: return MoveToStage{operators, near, below(4) == 0};
        case 2: return MoveToNewStage{operators, below(stages.size() + 2)};
        case 3: return ShiftOperators{operators, below(2) == 0};
        case 4: {
            auto own = operatorsOf(stages[std::min(near, stages.size() - 1)]);
            std::ranges::shuffle(own, engine);
            own.resize(1 + below(own.size()));
            return SplitStage{near, below(10) == 0 ? operators : own};
        }
        case 5:
        case 6: return JoinStages{{near, next}, below(4) == 0};
        case 7: return SetStrategy{{near}, below(3) == 0 ? Strategy::Concurrent : Strategy::Merge};
        case 8: return MoveStages{{near, stage()}, below(stages.size() + 2)};
        case 9:
            return TryStage{stageOf(graph, stages[std::min(near, stages.size() - 1)].block, inRange(operators),
                                    below(2) == 0 ? Strategy::Concurrent : Strategy::Merge)};
        default:
            return below(3) == 0 ? resetBlock(stages, origin, below(blocks.size()))
                                 : resetStage(stages, origin, std::min(near, stages.size() - 1));
        }
    }

    [[nodiscard]] std::vector<OperatorId> inRange(std::vector<OperatorId> operators) const
    {
        std::erase_if(operators, [&](OperatorId id) { return id.index() >= graph.size(); });
        std::ranges::sort(operators);
        operators.erase(std::ranges::unique(operators).begin(), operators.end());
        return operators;
    }
};

} // namespace stagecraft::test
