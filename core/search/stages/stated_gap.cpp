#include "search/stages/stated_gap.h"

#include "schedule/compare/latency_parts.h"
#include "search/infinity.h"
#include "search/stages/chain.h"
#include "search/stages/windows.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stagecraft {

namespace {

constexpr double kSameGap = 0.01; // relative: a gap that is hardly smaller is not worth another assumption
constexpr std::string_view kSlowestGroup = "no stage is faster than its slowest group";
constexpr std::string_view kFewerOperators = "no stage gets faster with one more operator";
constexpr std::string_view kChains = ", and no group is faster than its operators one after another";

class GapCalculator {
public:
    GapCalculator(const GapQuestion &question, std::span<const BlockSearch> found, const Interrupt &watchdog)
        : m_question(question), m_found(found), m_watchdog(watchdog),
          m_whole(question.table != nullptr && std::ranges::none_of(question.tooLarge, std::identity{})),
          m_spaceOf(question.blocks.size())
    {
        for (std::size_t s = 0; s < question.spaces.size(); ++s) {
            const std::size_t block = question.spaces[s].view.index;
            if (!question.tooLarge[block])
                m_spaceOf[block] = s;
        }
    }

    StatedGap judge()
    {
        StatedGap stated = judgedBy(BoundBasis::Source, {}, 0);
        if (stated.within || m_searched == BoundBasis::Source || m_question.source.isTable())
            return stated;
        const BoundChecks slowest = checks(BoundBasis::SlowestGroup);
        m_allowed.slowestGroup = allowedFor(slowest);
        StatedGap assumed = judgedBy(BoundBasis::SlowestGroup, slowest, stated.gap);
        if (says(assumed, stated))
            stated = std::move(assumed);
        if (stated.within || !m_question.table || !m_question.table->assumes())
            return stated;
        const BoundChecks larger = checks(BoundBasis::FewerOperators);
        m_allowed.fewerOperators = std::max(m_allowed.slowestGroup, allowedFor(larger));
        assumed = judgedBy(BoundBasis::FewerOperators, larger, stated.gap);
        return says(assumed, stated) ? assumed : stated;
    }

private:
    static bool says(const StatedGap &more, const StatedGap &less)
    {
        return less.gap == kInfinity ? more.gap < kInfinity : more.gap < less.gap * (1 - kSameGap);
    }

    [[nodiscard]] BoundChecks checks(BoundBasis basis) const
    {
        return m_question.table ? m_question.table->checks(basis) : BoundChecks{};
    }

    [[nodiscard]] double allowedFor(const BoundChecks &checks) const
    {
        return m_question.source.isNoisy() ? checks.usual : checks.worst;
    }

    [[nodiscard]] double allowance(BoundBasis basis) const
    {
        return basis == BoundBasis::Source         ? 0
               : basis == BoundBasis::SlowestGroup ? m_allowed.slowestGroup
                                                   : m_allowed.fewerOperators;
    }

    StatedGap judgedBy(BoundBasis basis, const BoundChecks &checks, double gapWithout)
    {
        StatedGap stated;
        stated.blockUs = boundBlocks(basis);
        double leastUs = std::min(std::reduce(stated.blockUs.begin(), stated.blockUs.end()), m_question.bestUs);
        if (m_whole)
            leastUs = std::max(leastUs, wholeUs(basis));
        // The costs of the search, divided by 1 + the allowance, are at most those of this basis.
        if (m_whole && basis == m_searched)
            leastUs = std::max(leastUs, m_question.searchedUs / (1 + allowance(basis)));
        stated.inPlaceUs = boundInPlace(basis, stated.blockUs, m_question.bestUs - leastUs);
        stated.gap = kInfinity;
        if (leastUs > 0)
            stated.gap = std::max(0.0, m_question.bestUs / leastUs - 1);
        stated.within = leastUs * (1 + m_question.options.epsilon) >= m_question.bestUs;
        if (basis != BoundBasis::Source)
            stated.assumption =
                BoundAssumption{std::string(basis == BoundBasis::FewerOperators ? kFewerOperators : kSlowestGroup)
                                    .append(m_question.source.chainsAddUp() ? kChains : ""),
                                checks.checked,
                                checks.broken,
                                checks.worst,
                                gapWithout,
                                allowance(basis)};
        stated.needsMore = basis == BoundBasis::FewerOperators;
        return stated;
    }

    [[nodiscard]] std::vector<double> boundBlocks(BoundBasis basis) const
    {
        std::vector<double> blockUs(m_question.blocks.size(), 0);
        if (m_question.table)
            boundSpaces(basis, blockUs);
        std::vector<double> aloneUs(m_question.operatorUs.begin(), m_question.operatorUs.end());
        for (double &us : aloneUs)
            us = basis == BoundBasis::Source ? 0 : us / (1 + m_allowed.slowestGroup);
        for (std::size_t b = 0; b < blockUs.size(); ++b) {
            if (m_question.tooLarge[b])
                blockUs[b] =
                    blockBoundUs(makeBlockView(m_question.graph, m_question.blocks[b], b, m_question.options.pinned),
                                 m_question.options, aloneUs, m_question.pinnedUs[b], m_question.source);
            blockUs[b] = std::min(blockUs[b], m_found[b].latencyUs);
        }
        return blockUs;
    }

    // `mostSavedUs`: by which the whole may be off the optimum.
    [[nodiscard]] std::vector<double> boundInPlace(BoundBasis basis, const std::vector<double> &aloneUs,
                                                   double mostSavedUs) const
    {
        std::vector<double> inPlaceUs;
        for (std::size_t b = 0; b < aloneUs.size(); ++b) {
            const double foundUs = m_found[b].latencyUs + boundariesOf(b);
            const double savedUs = foundUs - std::max(aloneUs[b], leastInPlaceUs(basis, b));
            inPlaceUs.push_back(m_found[b].latencyUs - std::clamp(savedUs, 0.0, mostSavedUs));
        }
        return inPlaceUs;
    }

    [[nodiscard]] StageRange stagesOf(std::size_t block) const { return stagesOfBlock(m_question.stages, block); }

    // To the stages before and after the block.
    [[nodiscard]] double boundariesOf(std::size_t block) const
    {
        const BoundaryCost cost = m_question.source.boundaryCost();
        const auto &stages = m_question.stages;
        const StageRange own = stagesOf(block);
        double us = own.first > 0 ? cost.between(stages[own.first - 1], stages[own.first]) : 0;
        if (own.end() < stages.size())
            us += cost.between(stages[own.end() - 1], stages[own.end()]);
        return us;
    }

    // With the boundaries to its neighbours; 0 if nothing is known, or time runs out.
    [[nodiscard]] double leastInPlaceUs(BoundBasis basis, std::size_t block) const
    {
        const auto &space = m_spaceOf[block];
        if (!m_question.table || !space)
            return 0;
        const BoundaryCost cost = m_question.source.boundaryCost();
        const auto &stages = m_question.stages;
        const StageRange own = stagesOf(block);
        CostByNeighbour before{0, 0};
        if (own.first > 0)
            before = {stages[own.first - 1].concurrentGroups() > 1 ? cost.barrierUs : cost.chainUs, cost.barrierUs};
        BlockSolution solution;
        if (!solve(m_question.spaces[*space], m_question.table->boundsUs(*space, basis, m_allowed), cost, before,
                   solution, m_watchdog))
            return 0;
        return own.end() < stages.size() ? solution.cost.back()[stages[own.end()].concurrentGroups() > 1]
                                         : solution.last;
    }

    void boundSpaces(BoundBasis basis, std::vector<double> &blockUs) const
    {
        for (std::size_t s = 0; s < m_question.spaces.size(); ++s) {
            const StateSpace &space = m_question.spaces[s];
            BlockSolution alone;
            if (!m_question.tooLarge[space.view.index] &&
                solve(space, m_question.table->boundsUs(s, basis, m_allowed), m_question.source.boundaryCost(), {0, 0},
                      alone, m_watchdog))
                blockUs[space.view.index] = alone.last;
        }
    }

    // 0 if time runs out.
    [[nodiscard]] double wholeUs(BoundBasis basis) const
    {
        std::vector<std::vector<double>> us;
        for (std::size_t s = 0; s < m_question.spaces.size(); ++s)
            us.push_back(m_question.table->boundsUs(s, basis, m_allowed));
        Chain chain(m_question.spaces, m_question.source.boundaryCost());
        const bool solved = chain.solveExactly([&](std::size_t space) { return SpaceCosts{us[space], 1}; }, m_watchdog);
        return solved ? std::min(chain.totalUs(), m_question.bestUs) : 0;
    }

    const GapQuestion &m_question;
    std::span<const BlockSearch> m_found;
    const Interrupt &m_watchdog;
    bool m_whole;
    std::vector<std::optional<std::size_t>> m_spaceOf; // by block; empty: not whole in memory
    // The basis of the search's own bound.
    BoundBasis m_searched = m_whole && m_question.table->unknown() == 0       ? BoundBasis::Source
                            : m_question.table && m_question.table->assumes() ? BoundBasis::FewerOperators
                                                                              : BoundBasis::SlowestGroup;
    StageTable::Allowance m_allowed;
};

} // namespace

StatedGap statedGap(const GapQuestion &question, std::span<const BlockSearch> found, const Interrupt &watchdog)
{
    return GapCalculator(question, found, watchdog).judge();
}

} // namespace stagecraft
