#include "schedule/compare/stage_pairs.h"

#include "graph/operator_cost.h"
#include "schedule/stage_groups.h"

#include <algorithm>
#include <compare>
#include <iterator>

namespace stagecraft {
namespace {

// What two stages share; more is better.
struct Shared {
    std::size_t operators = 0;
    double flops = 0;

    Shared operator+(const Shared &other) const { return {operators + other.operators, flops + other.flops}; }
    friend auto operator<=>(const Shared &, const Shared &) = default; // NOLINT(modernize-use-nullptr): see ids.h
};

Shared sharedBy(const Graph &graph, const std::vector<OperatorId> &a, const std::vector<OperatorId> &b)
{
    std::vector<OperatorId> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    Shared shared{both.size(), 0};
    for (const OperatorId id : both)
        shared.flops += flops(graph, id);
    return shared;
}

using OperatorsByStage = std::vector<std::vector<OperatorId>>; // by stage

OperatorsByStage operatorsIn(StageList stages, StageRange range)
{
    OperatorsByStage operators;
    for (const Stage &stage : stages.subspan(range.first, range.count))
        operators.push_back(operatorsOf(stage));
    return operators;
}

// Sequence alignment by dynamic programming: the most that stages of A from i on can share with those of B from k on.
class Alignment {
public:
    Alignment(const Graph &graph, const OperatorsByStage &a, const OperatorsByStage &b)
        : m_width(b.size() + 1), m_pairs((a.size() + 1) * m_width), m_best(m_pairs.size())
    {
        for (std::size_t i = a.size(); i-- > 0;) {
            for (std::size_t k = b.size(); k-- > 0;) {
                m_pairs[at(i, k)] = sharedBy(graph, a[i], b[k]);
                m_best[at(i, k)] = std::max(best(i + 1, k), best(i, k + 1));
                if (m_pairs[at(i, k)].operators > 0)
                    m_best[at(i, k)] = std::max(m_best[at(i, k)], paired(i, k));
            }
        }
    }

    [[nodiscard]] bool pairs(std::size_t i, std::size_t k) const
    {
        return m_pairs[at(i, k)].operators > 0 && paired(i, k) == best(i, k);
    }
    [[nodiscard]] bool skipsB(std::size_t i, std::size_t k) const { return best(i, k + 1) == best(i, k); }

private:
    [[nodiscard]] std::size_t at(std::size_t i, std::size_t k) const { return i * m_width + k; }
    [[nodiscard]] const Shared &best(std::size_t i, std::size_t k) const { return m_best[at(i, k)]; }
    [[nodiscard]] Shared paired(std::size_t i, std::size_t k) const { return m_pairs[at(i, k)] + best(i + 1, k + 1); }

    std::size_t m_width;
    std::vector<Shared> m_pairs;
    std::vector<Shared> m_best;
};

} // namespace

std::vector<StagePair> pairStages(const Graph &graph, StageList a, StageRange sideA, StageList b, StageRange sideB)
{
    const OperatorsByStage ofA = operatorsIn(a, sideA);
    const OperatorsByStage ofB = operatorsIn(b, sideB);
    const Alignment alignment(graph, ofA, ofB);
    std::vector<StagePair> pairs;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < ofA.size() || k < ofB.size()) {
        const bool both = i < ofA.size() && k < ofB.size();
        StagePair &pair = pairs.emplace_back();
        if (both && alignment.pairs(i, k)) {
            std::ranges::set_difference(ofB[k], ofA[i], std::back_inserter(pair.added));
            std::ranges::set_difference(ofA[i], ofB[k], std::back_inserter(pair.removed));
            pair.a = sideA.first + i++;
            pair.b = sideB.first + k++;
        } else if (i == ofA.size() || (both && alignment.skipsB(i, k))) {
            pair.b = sideB.first + k++;
        } else {
            pair.a = sideA.first + i++;
        }
    }
    return pairs;
}

} // namespace stagecraft
