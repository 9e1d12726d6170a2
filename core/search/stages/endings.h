#pragma once

// Endings of a state: the sets S' that no edge leaves towards S - S' (IOS, section 4.1), under the bounds r (operators
// per group) and s (groups per stage). Every ending is visited once. Operators are added in descending order, and every
// step is an ending itself, so none is generated in vain: the remaining state is found by removing one sink at a time,
// and the groups by joining those that the new operator touches. No ending has a pinned operator.

#include "search/options.h"
#include "search/stages/block_view.h"
#include "search/stages/states.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stagecraft {

// visit(OperatorSet ending, int groups, std::uint32_t rest): false ends the enumeration.
template <typename Visit>
class Endings {
public:
    Endings(const BlockView &view, const States &states, const SearchOptions &options, Visit visit)
        : m_view(view), m_states(states), m_r(options.r.value_or(std::numeric_limits<int>::max())),
          m_s(options.s.value_or(std::numeric_limits<int>::max())), m_singleSource(options.singleSource),
          m_visit(std::move(visit))
    {
    }

    // False if the visitor ended the enumeration.
    bool enumerate(std::uint32_t state)
    {
        m_set = m_states.set(state);
        if (m_singleSource)
            return extendBySource(0, m_set & ~m_view.pinned, 0, state);
        return extend(0, m_states.sinks(state) & ~m_view.pinned, m_view.pinned, nullptr, 0, state);
    }

private:
    // `candidates` can be added to `chosen` and are undecided; `barred` is excluded, with everything above it.
    bool extend(OperatorSet chosen, OperatorSet candidates, OperatorSet barred, const OperatorSet *groups, int count,
                std::uint32_t rest)
    {
        OperatorSet joined[64];
        while (candidates != 0) {
            const int op = highest(candidates);
            candidates ^= single(op);
            const OperatorSet touched = m_view.successors[op] & chosen;
            OperatorSet group = single(op);
            int groupsNow = 0;
            for (int i = 0; i < count; ++i) {
                if ((groups[i] & touched) != 0)
                    group |= groups[i];
                else
                    joined[groupsNow++] = groups[i];
            }
            joined[groupsNow++] = group;
            const OperatorSet now = chosen | single(op);
            if (size(group) <= m_r && (groupsNow <= m_s || canShrink(now, barred, joined, groupsNow))) {
                const std::uint32_t left = m_states.without(rest, op);
                if (groupsNow <= m_s && !m_visit(now, groupsNow, left))
                    return false;
                OperatorSet ready = candidates;
                for (OperatorSet above = m_view.predecessors[op] & m_set & ~m_view.pinned; above != 0;
                     above &= above - 1) {
                    if ((m_view.successors[lowest(above)] & m_set & ~now) == 0)
                        ready |= above & -above;
                }
                if (ready != 0 && !extend(now, ready, barred, joined, groupsNow, left))
                    return false;
            }
            barred |= single(op) | m_view.ancestors[op];
        }
        return true;
    }

    // With too many groups: whether later operators can join enough of them. The largest join is one operator with r -
    // 1 groups of one operator; a group that is full, or that no later operator touches, stays as it is.
    bool canShrink(OperatorSet chosen, OperatorSet barred, const OperatorSet *groups, int count) const
    {
        const OperatorSet open = m_set & ~chosen & ~barred;
        OperatorSet joinable = 0;
        for (OperatorSet rest = open; rest != 0; rest &= rest - 1)
            joinable |= m_view.successors[lowest(rest)];
        int fixed = 0;
        for (int i = 0; i < count; ++i)
            fixed += (groups[i] & joinable) == 0 || size(groups[i]) >= m_r;
        const int loose = count - fixed;
        const int largestJoin = m_r - 1;
        return fixed + (loose == 0 ? 0 : (loose - 1) / std::max(largestJoin, 1) + 1) <= m_s;
    }

    // Groups with one source each: the source and all its descendants in S. `open`: candidates for the next source.
    bool extendBySource(OperatorSet chosen, OperatorSet open, int count, std::uint32_t rest)
    {
        while (open != 0) {
            const int source = highest(open);
            open ^= single(source);
            const OperatorSet group = single(source) | (m_view.descendants[source] & m_set);
            if ((group & (chosen | m_view.pinned)) != 0 || size(group) > m_r)
                continue;
            std::uint32_t left = rest;
            for (OperatorSet taken = group; taken != 0; taken ^= single(highest(taken)))
                left = m_states.without(left, highest(taken));
            if (!m_visit(chosen | group, count + 1, left))
                return false;
            if (count + 1 < m_s && open != 0 && !extendBySource(chosen | group, open, count + 1, left))
                return false;
        }
        return true;
    }

    const BlockView &m_view;
    const States &m_states;
    int m_r;
    int m_s;
    bool m_singleSource;
    Visit m_visit;
    OperatorSet m_set = 0;
};

// Merge stages that can end the state: at least two of its sinks that can be merged, at most s of them; those with
// inputs of their own only if `ownInputs`. visit(OperatorSet ending, std::uint32_t rest): false ends the enumeration.
template <typename Visit>
bool forEachMerge(const BlockView &view, const States &states, std::optional<int> s, bool ownInputs,
                  std::uint32_t state, Visit &&visit)
{
    // `apart`: no two that read the same.
    const auto extend = [&](auto &self, bool apart, OperatorSet chosen, OperatorSet open, std::uint32_t rest) -> bool {
        while (open != 0) {
            const int op = highest(open);
            open ^= single(op);
            const OperatorSet now = chosen | single(op);
            const std::uint32_t left = states.without(rest, op);
            if (chosen != 0 && !visit(now, left))
                return false;
            const OperatorSet others = apart ? open & ~view.readSame[op] : open;
            if ((!s || size(now) < *s) && !self(self, apart, now, others, left))
                return false;
        }
        return true;
    };
    const OperatorSet sinks = states.sinks(state) & ~view.pinned;
    for (const OperatorSet members : view.mergeClasses) {
        if (!extend(extend, false, 0, members & sinks, state))
            return false;
    }
    for (const OperatorSet members : view.ownInputClasses) {
        if (ownInputs && !extend(extend, true, 0, members & sinks, state))
            return false;
    }
    return true;
}

} // namespace stagecraft
