#include "search/stages/state_space.h"

#include <cmath>

namespace stagecraft {

SpaceBuilder::Outcome SpaceBuilder::build(const SpaceLimits &limits, const Interrupt &interrupt)
{
    StateSpace &space = m_space;
    if (!m_hasStates) {
        auto states = enumerateStates(space.view, limits.states, interrupt);
        if (!states)
            return interrupt.raised() ? Outcome::Interrupted : Outcome::TooLarge;
        space.states = std::move(*states);
        m_hasStates = true;
    }
    bool fits = true;
    std::size_t steps = 0;
    const auto keep = [&](OperatorSet ending, Strategy strategy, int groups, std::uint32_t rest) {
        const auto fresh = static_cast<std::uint32_t>(space.stages.size());
        OperatorSetIndex &known = strategy == Strategy::Merge   ? m_merged
                                  : strategy == Strategy::Fused ? m_fused
                                                                : space.concurrent;
        const std::uint32_t stage = known.insert(ending, fresh);
        if (stage == fresh)
            space.stages.push_back({ending, strategy, groups > 1});
        (groups > 1 ? m_concurrent : space.transitions).push_back({rest, stage});
        fits = space.transitions.size() + m_concurrent.size() <= limits.transitions &&
               space.stages.size() <= limits.stages;
        return fits && ((++steps & 0x3ff) != 0 || !interrupt.raised());
    };
    Transitions out(space.view, space.states, m_options, keep);
    for (; m_nextState < space.states.count(); ++m_nextState) {
        m_concurrent.clear();
        if (!out.enumerate(m_nextState)) {
            // Stages that were found keep their numbers: the state finds them again in the same order.
            space.transitions.resize(space.firstTransition.back());
            return fits ? Outcome::Interrupted : Outcome::TooLarge;
        }
        space.firstConcurrent.push_back(space.transitions.size());
        space.transitions.insert(space.transitions.end(), m_concurrent.begin(), m_concurrent.end());
        space.firstTransition.push_back(space.transitions.size());
    }
    return Outcome::Done;
}

double SpaceBuilder::builtShare() const
{
    double built = 0;
    double all = 0;
    for (std::uint32_t state = 1; m_hasStates && state < m_space.states.count(); ++state) {
        const double subsets = std::ldexp(1.0, size(m_space.states.sinks(state)));
        all += subsets;
        built += state < m_nextState ? subsets : 0;
    }
    return all > 0 ? built / all : 0;
}

std::optional<StateSpace> buildStateSpace(BlockView view, const SearchOptions &options, const SpaceLimits &limits,
                                          const Interrupt &interrupt)
{
    SpaceBuilder builder(std::move(view), options);
    return builder.build(limits, interrupt) == SpaceBuilder::Outcome::Done ? std::optional(builder.take())
                                                                           : std::nullopt;
}

StateSpace singleStageSpace(BlockView view, Strategy strategy)
{
    States states = onlyFullState(view);
    const bool concurrent = strategy == Strategy::Concurrent && view.groupCount(view.all) > 1;
    StateSpace space;
    space.firstTransition = {0, 0, 1};
    space.transitions = {{0, 0}};
    space.firstConcurrent = {0, concurrent ? std::size_t{0} : std::size_t{1}};
    space.view = std::move(view);
    space.states = std::move(states);
    space.stages.push_back({space.view.all, strategy, concurrent});
    if (strategy == Strategy::Concurrent)
        space.concurrent.insert(space.view.all, 0);
    return space;
}

} // namespace stagecraft
