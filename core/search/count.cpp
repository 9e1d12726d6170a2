#include "search/count.h"

#include "search/transitions.h"

#include <string>

namespace stagecraft {

namespace {

constexpr std::size_t kMaxStates = 30'000'000;
constexpr std::int64_t kMaxTransitions = 20'000'000'000;

tl::unexpected<Error> tooLarge(const std::string &what)
{
    return fail(ErrorCode::InvalidInput, "the search space of the block is too large to count: more than " + what,
                "Bound it with r and s.");
}

} // namespace

Result<SpaceCount> countSpace(const Graph &graph, const Block &block, const SearchOptions &options,
                              std::stop_token stop)
{
    if (options.r < 0 || options.s < 0)
        return fail(ErrorCode::WrongUse, "r and s must be at least 1, or 0 for no bound");
    if (block.operators.size() > kMaxBlockOperators)
        return fail(ErrorCode::InvalidInput,
                    "the block has more than " + std::to_string(kMaxBlockOperators) + " operators");

    const BlockView view = makeBlockView(graph, block, 0);
    const auto states = enumerateStates(view, kMaxStates, Interrupt(stop));
    if (!states)
        return stop.stop_requested() ? fail(ErrorCode::Cancelled, "the count was cancelled")
                                     : tooLarge(std::to_string(kMaxStates) + " states");

    // schedules[S]: how many ways there are to schedule S. The empty set has one.
    std::vector<double> schedules(states->count());
    schedules[0] = 1;
    double sum = 0;
    std::int64_t transitions = 0;
    bool stopped = false;
    Transitions out(view, *states, options, [&](OperatorSet, Strategy, int, std::uint32_t rest) {
        sum += schedules[rest];
        stopped = (++transitions & 0xfffff) == 0 && stop.stop_requested();
        return !stopped && transitions <= kMaxTransitions;
    });
    for (std::uint32_t state = 1; state < states->count(); ++state) {
        sum = 0;
        stopped = (state & 1023) == 0 && stop.stop_requested();
        if (stopped || !out.enumerate(state))
            return stopped ? fail(ErrorCode::Cancelled, "the count was cancelled")
                           : tooLarge(std::to_string(kMaxTransitions) + " transitions");
        schedules[state] = sum;
    }
    return SpaceCount{static_cast<std::int64_t>(states->count()) - 1, transitions, schedules[states->full()]};
}

} // namespace stagecraft
