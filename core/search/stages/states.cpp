#include "search/stages/states.h"

namespace stagecraft {

std::uint32_t OperatorSetIndex::insert(OperatorSet set, std::uint32_t fresh)
{
    if (2 * (m_count + 1) > m_slots.size())
        grow();
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t at = hash(set) & mask;; at = (at + 1) & mask) {
        if (m_slots[at].number == kNone) {
            m_slots[at] = {set, fresh};
            ++m_count;
            return fresh;
        }
        if (m_slots[at].set == set)
            return m_slots[at].number;
    }
}

std::uint32_t OperatorSetIndex::find(OperatorSet set) const
{
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t at = hash(set) & mask;; at = (at + 1) & mask) {
        if (m_slots[at].number == kNone || m_slots[at].set == set)
            return m_slots[at].number;
    }
}

void OperatorSetIndex::grow()
{
    std::vector<Slot> old(m_slots.size() * 2);
    old.swap(m_slots);
    m_count = 0;
    for (const Slot &slot : old) {
        if (slot.number != kNone)
            insert(slot.set, slot.number);
    }
}

std::optional<States> enumerateStates(const BlockView &view, std::size_t limit, const Interrupt &interrupt,
                                      std::size_t *seen)
{
    States states;
    const auto giveUp = [&]() -> std::optional<States> {
        if (seen)
            *seen = states.m_sets.size();
        return std::nullopt;
    };
    states.m_sets.push_back(0);
    states.m_index.insert(0, 0);
    for (std::uint32_t state = 0; state < states.m_sets.size(); ++state) {
        if ((state & 1023) == 0 && interrupt.raised())
            return giveUp();
        const OperatorSet set = states.m_sets[state];
        const auto grow = [&](OperatorSet more, OperatorSet predecessors) {
            if ((predecessors & ~set) != 0)
                return true;
            const auto fresh = static_cast<std::uint32_t>(states.m_sets.size());
            if (states.m_index.insert(set | more, fresh) != fresh)
                return true;
            if (states.m_sets.size() >= limit)
                return false;
            states.m_sets.push_back(set | more);
            return true;
        };
        for (OperatorSet rest = view.all & ~view.pinned & ~set; rest != 0; rest &= rest - 1) {
            if (!grow(rest & -rest, view.predecessors[lowest(rest)]))
                return giveUp();
        }
        for (const PinnedSet &pin : view.pins) {
            if ((pin.operators & set) == 0 && !grow(pin.operators, pin.predecessors))
                return giveUp();
        }
    }
    states.m_sinks.reserve(states.count());
    states.m_firstChild.reserve(states.count());
    for (std::uint32_t state = 0; state < states.count(); ++state) {
        if ((state & 1023) == 0 && interrupt.raised())
            return giveUp();
        const OperatorSet set = states.m_sets[state];
        states.m_sinks.push_back(view.sinks(set));
        states.m_firstChild.push_back(static_cast<std::uint32_t>(states.m_children.size()));
        for (OperatorSet rest = states.m_sinks.back(); rest != 0; rest &= rest - 1)
            states.m_children.push_back(states.m_index.find(set ^ (rest & -rest)));
    }
    return states;
}

States onlyFullState(const BlockView &view)
{
    States states;
    states.m_sets = {0, view.all};
    states.m_sinks = {0, view.sinks(view.all)};
    states.m_index.insert(0, 0);
    states.m_index.insert(view.all, 1);
    return states;
}

} // namespace stagecraft
