#include "search/stages/whole_spaces.h"

#include "search/infinity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {

namespace {

constexpr double kPieceShare = 0.1;       // of the remaining time: interval between checks whether to continue
constexpr double kFirstShare = 0.3;       // of the remaining time: spent before the first check
constexpr double kSafeShare = 0.8;        // of the remaining time: worth waiting for if expected to take less
constexpr double kSecondsPerStage = 2e-5; // to name a stage and what it contains

} // namespace

WholeSpaces::WholeSpaces(const Graph &graph, const Blocks &blocks, const SearchOptions &options)
    : m_graph(graph), m_blocks(blocks), m_options(options), m_order(blocks.size()), m_ofBlock(blocks.size())
{
    std::vector<double> bound;
    for (const Block &block : blocks)
        bound.push_back(transitionBound(block.operators.size(), width(graph, block)));
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    std::ranges::stable_sort(m_order, {}, [&](std::size_t b) { return bound[b]; });
}

void WholeSpaces::build(const LatencyQueries &queries, double leftSeconds, bool toTheEnd)
{
    const Interrupt &end = queries.interrupt();
    const auto start = queries.clock().now();
    for (const std::size_t b : m_order) {
        while (isOpen(m_ofBlock[b]) && !end.raised()) {
            const Interrupt piece = toTheEnd ? end : Interrupt(end.token(), kPieceShare * leftSeconds, queries.clock());
            if (buildPiece(b, piece, queries.clock()) || toTheEnd)
                continue;
            const double spent = std::chrono::duration<double>(queries.clock().now() - start).count();
            if (spent >= kFirstShare * leftSeconds && expectedSeconds() > kSafeShare * (leftSeconds - spent))
                return;
        }
    }
}

// False: not done yet.
bool WholeSpaces::buildPiece(std::size_t block, const Interrupt &interrupt, const SearchClock &clock)
{
    OfBlock &of = m_ofBlock[block];
    if (!of.builder)
        of.builder.emplace(makeBlockView(m_graph, m_blocks[block], block, m_options.pinned), m_options);
    const auto start = clock.now();
    const SpaceBuilder::Outcome outcome = of.builder->build(m_left, interrupt);
    of.seconds += std::chrono::duration<double>(clock.now() - start).count();
    if (outcome == SpaceBuilder::Outcome::Interrupted)
        return false;
    of.isBuilt = outcome == SpaceBuilder::Outcome::Done;
    of.isTooLarge = !of.isBuilt;
    if (of.isBuilt) {
        of.space = of.builder->take();
        m_left.transitions -= std::min(m_left.transitions, of.space->transitions.size());
        m_left.stages -= std::min(m_left.stages, of.space->stages.size());
    }
    of.builder.reset();
    return true;
}

// The rest of the current block, as much for each later block as for all of this one (they are no smaller), and what
// comes after.
double WholeSpaces::expectedSeconds() const
{
    double seconds = 0;
    double largest = 0;
    for (const std::size_t b : m_order) {
        const OfBlock &of = m_ofBlock[b];
        if (of.builder) {
            const double share = of.builder->builtShare();
            if (share > 0)
                largest = std::max(largest, of.seconds / share);
            else
                largest = kInfinity;
            seconds += largest - of.seconds;
        } else if (isOpen(of)) {
            seconds += largest;
        } else {
            largest = std::max(largest, of.seconds);
        }
    }
    const auto named = static_cast<double>(SpaceLimits{}.stages - m_left.stages);
    return seconds + kSecondsPerStage * named;
}

bool WholeSpaces::isUnderWay() const
{
    return std::ranges::any_of(m_ofBlock, [this](const OfBlock &of) { return isOpen(of); });
}

std::optional<StateSpace> WholeSpaces::take(std::size_t block)
{
    std::optional<StateSpace> taken;
    taken.swap(m_ofBlock[block].space);
    return taken;
}

void WholeSpaces::giveBack(StateSpace space)
{
    const std::size_t block = space.view.index;
    m_ofBlock[block].space = std::move(space);
}

} // namespace stagecraft
