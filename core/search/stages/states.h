#pragma once

// The states of a block: every set S of operators that can be left to schedule, that is, every set closed under
// predecessors. They are the same for every strategy and pruning, because a single operator can always end S. Pinned
// stages are in S completely or not at all. Numbered by size, the empty set first, so that every transition leads to a
// smaller number.

#include "search/interrupt.h"
#include "search/stages/block_view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

// Maps operator sets to numbers; uses open addressing.
class OperatorSetIndex {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    // The number of the set; inserts it as `fresh` if it is new.
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
    [[nodiscard]] std::size_t count() const { return m_sets.size(); } // includes the empty set
    [[nodiscard]] OperatorSet set(std::uint32_t state) const { return m_sets[state]; }
    [[nodiscard]] OperatorSet sinks(std::uint32_t state) const { return m_sinks[state]; }
    [[nodiscard]] std::uint32_t full() const { return static_cast<std::uint32_t>(m_sets.size() - 1); }
    [[nodiscard]] std::uint32_t find(OperatorSet set) const { return m_index.find(set); }

    // The state after removing a sink that is not pinned.
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

// Empty if there are more than `limit` states or the search was interrupted; `seen` is the number found.
[[nodiscard]] std::optional<States> enumerateStates(const BlockView &view, std::size_t limit,
                                                    const Interrupt &interrupt, std::size_t *seen = nullptr);

// Only the empty set and the full set; `without` must not be called.
[[nodiscard]] States onlyFullState(const BlockView &view);

} // namespace stagecraft
