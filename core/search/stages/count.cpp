#include "search/stages/count.h"

#include "search/stages/transitions.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace stagecraft {

Result<SpaceCount> countSpace(const Graph &graph, const Block &block, const SearchOptions &options,
                              std::stop_token stop, const CountLimits &limits)
{
    TRY(checkPruning(options));
    if (block.operators.size() > kMaxBlockOperators)
        return fail(ErrorCode::InvalidInput, fmt::format("the block has more than {} operators", kMaxBlockOperators));

    const Interrupt interrupt(stop, limits.seconds);
    const auto cancelled = [] { return fail(ErrorCode::Cancelled, "the count was cancelled"); };
    const BlockView view = makeBlockView(graph, block, 0);
    std::size_t seen = 0;
    const auto states = enumerateStates(view, limits.states, interrupt, &seen);
    if (!states && stop.stop_requested())
        return cancelled();
    // Every state has at least one transition and one schedule that leads to it.
    const auto least = static_cast<std::int64_t>(seen) - 1;
    if (!states)
        return SpaceCount{least, least, 1, false};

    // schedules[S]: the number of schedules of S; one for the empty set. Each of them continues to a schedule of the
    // whole block, so if the count ends early, the block has at least as many as any S.
    std::vector<double> schedules(states->count());
    schedules[0] = 1;
    double sum = 0;
    double most = 1;
    std::int64_t transitions = 0;
    bool stopped = false;
    Transitions out(view, *states, options, [&](OperatorSet, Strategy, int, std::uint32_t rest) {
        sum += schedules[rest];
        stopped = (++transitions & 0xfffff) == 0 && interrupt.raised();
        return !stopped && transitions <= limits.transitions;
    });
    SpaceCount count{static_cast<std::int64_t>(states->count()) - 1, 0, 0};
    for (std::uint32_t state = 1; state < states->count(); ++state) {
        sum = 0;
        stopped = (state & 1023) == 0 && interrupt.raised();
        if (stopped || !out.enumerate(state)) {
            if (stop.stop_requested())
                return cancelled();
            count.complete = false;
            break;
        }
        schedules[state] = sum;
        most = std::max(most, sum);
    }
    count.transitions = transitions;
    count.schedules = count.complete ? schedules[states->full()] : most;
    return count;
}

} // namespace stagecraft
