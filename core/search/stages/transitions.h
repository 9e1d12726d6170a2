#pragma once

// The transitions out of a state under the options of a search: endings run concurrently, as merges, or both; of all
// kinds also merges of operators with inputs of their own, and whole waves fused; pinned stages run as they are.

#include "search/stages/endings.h"

namespace stagecraft {

// visit(OperatorSet ending, Strategy strategy, int groups, std::uint32_t rest): false ends the enumeration. `groups` is
// the number of concurrent groups: 1 for a merge.
template <typename Visit>
class Transitions {
public:
    Transitions(const BlockView &view, const States &states, const SearchOptions &options, Visit visit)
        : m_view(view), m_states(states), m_options(options), m_visit(std::move(visit)),
          m_endings(view, states, options, Concurrent{&m_visit})
    {
    }

    bool enumerate(std::uint32_t state)
    {
        if (m_options.strategies != StrategySet::Merge) {
            if (!m_endings.enumerate(state))
                return false;
        } else {
            // With merging alone, the operators that cannot be merged run one after another.
            for (OperatorSet rest = m_states.sinks(state) & ~m_view.pinned; rest != 0; rest &= rest - 1) {
                if (!m_visit(rest & -rest, Strategy::Concurrent, 1, m_states.without(state, lowest(rest))))
                    return false;
            }
        }
        const auto merge = [&](OperatorSet ending, std::uint32_t left) {
            return m_visit(ending, Strategy::Merge, 1, left);
        };
        const bool ofAllKinds = m_options.strategies == StrategySet::All;
        if (m_options.strategies != StrategySet::Parallel &&
            !forEachMerge(m_view, m_states, m_options.s, ofAllKinds, state, merge))
            return false;
        if (ofAllKinds && !visitFused(state))
            return false;
        return visitPins(state);
    }

private:
    // Fused stages are whole waves of the block, as Rammer fuses them: all waves before have run, and none behind.
    bool visitFused(std::uint32_t state)
    {
        const OperatorSet set = m_states.set(state);
        OperatorSet before = 0;
        OperatorSet left = set;
        for (const OperatorSet wave : m_view.waves) {
            if (left == 0 || (wave & ~left) != 0)
                break;
            left &= ~wave;
        }
        if (left != 0) // some of a wave, or later ones
            return true;
        for (std::size_t first = 0; before != set; before |= m_view.waves[first++]) {
            const OperatorSet ending = set & ~before;
            if ((ending & m_view.pinned) == 0 && !m_visit(ending, Strategy::Fused, 1, m_states.find(before)))
                return false;
        }
        return true;
    }

    bool visitPins(std::uint32_t state)
    {
        const OperatorSet set = m_states.set(state);
        for (const PinnedSet &pin : m_view.pins) {
            const bool isEnding = (pin.operators & ~set) == 0 && (pin.successors & set) == 0;
            if (isEnding && !m_visit(pin.operators, pin.strategy, pin.groups, m_states.find(set & ~pin.operators)))
                return false;
        }
        return true;
    }

    struct Concurrent {
        Visit *visit;
        bool operator()(OperatorSet ending, int groups, std::uint32_t left) const
        {
            return (*visit)(ending, Strategy::Concurrent, groups, left);
        }
    };

    const BlockView &m_view;
    const States &m_states;
    SearchOptions m_options;
    Visit m_visit;
    Endings<Concurrent> m_endings;
};

} // namespace stagecraft
