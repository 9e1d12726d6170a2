#include "search/state_space.h"

namespace stagecraft {

std::optional<StateSpace> buildStateSpace(BlockView view, const SearchOptions &options, const SpaceLimits &limits,
                                          const Interrupt &interrupt)
{
    auto states = enumerateStates(view, limits.states, interrupt);
    if (!states)
        return std::nullopt;
    StateSpace space;
    space.view = std::move(view);
    space.states = std::move(*states);

    OperatorSetIndex merged;
    std::vector<Transition> wide;
    std::size_t steps = 0;
    const auto keep = [&](OperatorSet ending, Strategy strategy, int groups, std::uint32_t rest) {
        const auto fresh = static_cast<std::uint32_t>(space.stages.size());
        const std::uint32_t stage = (strategy == Strategy::Merge ? merged : space.concurrent).insert(ending, fresh);
        if (stage == fresh)
            space.stages.push_back({ending, strategy, groups > 1});
        (groups > 1 ? wide : space.transitions).push_back({rest, stage});
        const bool fits =
            space.transitions.size() + wide.size() <= limits.transitions && space.stages.size() <= limits.stages;
        return fits && ((++steps & 0xffff) != 0 || !interrupt.raised());
    };
    Transitions out(space.view, space.states, options, keep);
    for (std::uint32_t state = 1; state < space.states.count(); ++state) {
        wide.clear();
        const bool complete = out.enumerate(state);
        space.firstWide.push_back(space.transitions.size());
        space.transitions.insert(space.transitions.end(), wide.begin(), wide.end());
        space.firstTransition.push_back(space.transitions.size());
        if (!complete)
            return std::nullopt;
    }
    return space;
}

StateSpace singleStageSpace(BlockView view, Strategy strategy)
{
    States states = onlyFullState(view);
    const bool wide = strategy == Strategy::Concurrent && view.groupCount(view.all) > 1;
    StateSpace space;
    space.firstTransition = {0, 0, 1};
    space.transitions = {{0, 0}};
    space.firstWide = {0, wide ? std::size_t{0} : std::size_t{1}};
    space.view = std::move(view);
    space.states = std::move(states);
    space.stages.push_back({space.view.all, strategy, wide});
    if (strategy == Strategy::Concurrent)
        space.concurrent.insert(space.view.all, 0);
    return space;
}

} // namespace stagecraft
