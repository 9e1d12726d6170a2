#include "search/stages/windows.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace stagecraft {

namespace {

constexpr SpaceLimits kPrunedLimits{500'000, kPrunedTransitions, 400'000};
constexpr SpaceLimits kWindowLimits{20'000, 600'000, 60'000};
constexpr SpaceLimits kLeastWindowLimits{20'000, 6'000, 1'000};
constexpr SpaceLimits kAllWindows{20'000, 10'000'000, 1'000'000}; // together
constexpr std::size_t kWindowOperators = 16;

Block operatorsOf(const std::vector<Stage> &stages, std::size_t first, std::size_t count)
{
    Block block;
    for (std::size_t i = first; i < first + count; ++i) {
        for (const auto &group : stages[i].groups)
            block.operators.insert(block.operators.end(), group.begin(), group.end());
    }
    std::ranges::sort(block.operators);
    return block;
}

// Operators that a stage in the space may merge with others.
OperatorSet mergeable(const BlockView &view, const SearchOptions &options)
{
    OperatorSet result = 0;
    if (options.strategies != StrategySet::Parallel) {
        for (const OperatorSet members : view.mergeClasses)
            result |= members;
    }
    return result;
}

double criticalPathUs(const BlockView &view, const SearchOptions &options, std::span<const double> latencyUs,
                      const StageLatencySource &source)
{
    const auto weight = [&](int op) { return latencyUs[view.ids[op].index()]; };
    std::vector<double> rank(view.n);
    std::vector<int> next(view.n, -1);
    int first = 0;
    for (int op = view.n - 1; op >= 0; --op) {
        for (OperatorSet rest = view.successors[op]; rest != 0; rest &= rest - 1) {
            if (next[op] < 0 || rank[lowest(rest)] > rank[next[op]])
                next[op] = lowest(rest);
        }
        rank[op] = weight(op) + (next[op] < 0 ? 0 : rank[next[op]]);
        if (rank[op] >= rank[first])
            first = op;
    }
    std::vector<int> path;
    for (int op = first; op >= 0; op = next[op])
        path.push_back(op);

    // The cheapest way to cut the path into pieces of at most r operators, each in a stage of its own. Operators that
    // can be merged may finish sooner together than alone, so they do not count, and operators that depend on each
    // other are never merged. Pinned operators are in no stage with others, and count separately.
    const OperatorSet merged = mergeable(view, options);
    const std::size_t r = options.r ? static_cast<std::size_t>(*options.r) : path.size();
    std::vector<double> bound(path.size() + 1, std::numeric_limits<double>::infinity());
    bound[0] = 0;
    for (std::size_t end = 1; end <= path.size(); ++end) {
        double slowest = 0;
        OperatorSet piece = 0;
        for (std::size_t begin = end; begin-- > 0 && end - begin <= r;) {
            piece |= single(path[begin]);
            if (end - begin > 1 && (piece & view.pinned) != 0)
                break;
            slowest = std::max(slowest, weight(path[begin]));
            const double atLeastUs =
                end - begin == 1 && (piece & (merged | view.pinned)) != 0
                    ? 0
                    : std::max(slowest, source.lowerBoundUs(view.stage(piece, Strategy::Concurrent)));
            bound[end] = std::min(bound[end], bound[begin] + atLeastUs);
        }
    }
    return bound.back();
}

// Merged convolutions may need less than each alone, so operators that can be merged do not count.
double neededUs(const BlockView &view, const SearchOptions &options, const StageLatencySource &source)
{
    OperatorSet counted = view.all & ~view.pinned & ~mergeable(view, options);
    std::vector<double> sums;
    for (; counted != 0; counted &= counted - 1) {
        const std::vector<double> shares = source.sharesUs(view.ids[lowest(counted)]);
        sums.resize(shares.size());
        std::ranges::transform(sums, shares, sums.begin(), std::plus{});
    }
    return sums.empty() ? 0 : std::max(0.0, std::ranges::max(sums));
}

} // namespace

std::optional<StateSpace> buildPrunedSpace(const BlockView &view, const SearchOptions &options, const SpaceLimits &left,
                                           const Interrupt &interrupt)
{
    const SearchOptions usual;
    SearchOptions pruned = options;
    pruned.r = std::min(options.r.value_or(*usual.r), *usual.r);
    pruned.s = std::min(options.s.value_or(*usual.s), *usual.s);
    SpaceLimits limits = kPrunedLimits;
    limits.transitions = std::min(limits.transitions, left.transitions);
    limits.stages = std::min(limits.stages, left.stages);
    return buildStateSpace(view, pruned, limits, interrupt);
}

std::optional<std::vector<StateSpace>> buildWindows(const Graph &graph, const std::vector<Stage> &stages,
                                                    std::size_t shift, const SearchOptions &options,
                                                    const SpaceLimits &limits, const Interrupt &interrupt)
{
    std::vector<StateSpace> spaces;
    for (std::size_t first = 0; first < stages.size();) {
        const std::size_t most = first == 0 ? shift : kWindowOperators;
        std::size_t count = 1;
        std::size_t operators = stages[first].operatorCount();
        while (first + count < stages.size() && operators + stages[first + count].operatorCount() <= most)
            operators += stages[first + count++].operatorCount();
        for (;; --count) {
            const Block window = operatorsOf(stages, first, count);
            auto space = buildStateSpace(makeBlockView(graph, window, stages[first].block, options.pinned), options,
                                         limits, interrupt);
            if (space) {
                spaces.push_back(std::move(*space));
                break;
            }
            if (interrupt.raised())
                return std::nullopt;
            if (count == 1) {
                // A stage whose operators have too many schedules stays as it is.
                spaces.push_back(
                    singleStageSpace(makeBlockView(graph, window, stages[first].block), stages[first].strategy));
                break;
            }
        }
        first += count;
    }
    return spaces;
}

SpaceLimits windowLimits(std::size_t operators)
{
    const std::size_t windows = operators / kWindowOperators + 1;
    const auto share = [&](std::size_t SpaceLimits::*limit) {
        return std::clamp(kAllWindows.*limit / windows, kLeastWindowLimits.*limit, kWindowLimits.*limit);
    };
    return {kWindowLimits.states, share(&SpaceLimits::transitions), share(&SpaceLimits::stages)};
}

double blockBoundUs(const BlockView &view, const SearchOptions &options, std::span<const double> latencyUs,
                    double pinnedUs, const StageLatencySource &source)
{
    if (options.strategies == StrategySet::All) // fused operators may need less than each alone
        return pinnedUs;
    return pinnedUs + std::max(criticalPathUs(view, options, latencyUs, source), neededUs(view, options, source));
}

} // namespace stagecraft
