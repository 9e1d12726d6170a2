#pragma once

// The states of a block: every set S of operators that can be what remains to be scheduled, that is, every set closed
// under predecessors. They are the same for every strategy and pruning, because a single operator can always end S.
// Stages that are pinned are in S as a whole or not at all.
// Numbered by size, the empty set first, so that every transition leads to a smaller number.

#include "search/block_view.h"
#include "search/interrupt.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

// Maps operator sets to numbers; open addressing.
class OperatorSetIndex {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    // The number of the set; `fresh` if it was not there.
    std::uint32_t insert(OperatorSet set, std::uint32_t fresh);
    [[nodiscard]] std::uint32_t find(OperatorSet set) const;

private:
    struct Slot {
        OperatorSet set = 0;
        std::uint32_t number = kNone;
    };
    static std::size_t hash(OperatorSet set)
    {
        set *= 0x9e3779b97f4a7c15ULL;
        return set ^ (set >> 32);
    }
    void grow();

    std::vector<Slot> m_slots = std::vector<Slot>(64);
    std::size_t m_count = 0;
};

class States {
public:
    [[nodiscard]] std::size_t count() const { return m_sets.size(); } // the empty set included
    [[nodiscard]] OperatorSet set(std::uint32_t state) const { return m_sets[state]; }
    [[nodiscard]] OperatorSet sinks(std::uint32_t state) const { return m_sinks[state]; }
    [[nodiscard]] std::uint32_t full() const { return static_cast<std::uint32_t>(m_sets.size() - 1); }
    [[nodiscard]] std::uint32_t find(OperatorSet set) const { return m_index.find(set); }

    // The state that is left when a sink is taken away that is not pinned.
    [[nodiscard]] std::uint32_t without(std::uint32_t state, int sink) const
    {
        const OperatorSet before = m_sinks[state] & (single(sink) - 1);
        return m_children[m_firstChild[state] + static_cast<std::uint32_t>(size(before))];
    }

private:
    friend States onlyFullState(const BlockView &);
    friend std::optional<States> enumerateStates(const BlockView &, std::size_t, const Interrupt &, std::size_t *);

    std::vector<OperatorSet> m_sets;
    std::vector<OperatorSet> m_sinks;
    std::vector<std::uint32_t> m_firstChild;
    std::vector<std::uint32_t> m_children;
    OperatorSetIndex m_index;
};

// Nothing if there are more than `limit` states or the search was interrupted; `seen` then says how many were found.
[[nodiscard]] std::optional<States> enumerateStates(const BlockView &view, std::size_t limit,
                                                    const Interrupt &interrupt, std::size_t *seen = nullptr);

// Just the empty set and all operators; `without` is not to be asked.
[[nodiscard]] States onlyFullState(const BlockView &view);

} // namespace stagecraft
