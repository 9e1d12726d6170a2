#pragma once

// States of the layout search at one cut: the copies of every tensor that crosses it. Tensors have slots, which are
// used again. Private to layout.

#include "schedule/layouts/layout_problem.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stagecraft {

class CopiesOfCut {
public:
    static constexpr std::size_t kWords = 4;

    static constexpr std::size_t slots(std::size_t layouts) { return kWords * (64 / layouts); }

    [[nodiscard]] LayoutSet at(std::size_t slot, std::size_t layouts) const
    {
        const std::size_t perWord = 64 / layouts;
        return static_cast<LayoutSet>((m_words[slot / perWord] >> (slot % perWord * layouts)) & ((1U << layouts) - 1U));
    }
    void set(std::size_t slot, std::size_t layouts, LayoutSet copies)
    {
        const std::size_t perWord = 64 / layouts;
        const std::size_t shift = slot % perWord * layouts;
        std::uint64_t &word = m_words[slot / perWord];
        word = (word & ~(((std::uint64_t{1} << layouts) - 1) << shift)) | std::uint64_t{copies} << shift;
    }
    [[nodiscard]] std::size_t hash() const
    {
        std::uint64_t value = 0;
        for (const std::uint64_t word : m_words) {
            value = (value ^ word) * 0x9E3779B97F4A7C15U;
            value ^= value >> 29U;
        }
        return static_cast<std::size_t>(value);
    }

    friend bool operator==(const CopiesOfCut &, const CopiesOfCut &) = default;

private:
    std::array<std::uint64_t, kWords> m_words{};
};

// How a state was reached: from which state of the cut before, and by which of the options it has there.
struct LayoutStep {
    std::uint32_t before = 0;
    std::uint32_t option = 0;
};

struct LayoutState {
    CopiesOfCut copies;
    double us = 0; // least latency of everything before the cut
    LayoutStep step;
};

// The states of one cut, each set of copies once, with the least latency; of equal ones the first stays. State: has
// copies and us.
template <typename State>
class StatesByCopies {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    StatesByCopies() : m_slots(16, kNone) {}

    void add(const State &state)
    {
        if (2 * (m_states.size() + 1) > m_slots.size())
            grow();
        std::uint32_t &slot = place(state.copies);
        if (slot == kNone) {
            slot = static_cast<std::uint32_t>(m_states.size());
            m_states.push_back(state);
        } else if (state.us < m_states[slot].us) {
            m_states[slot] = state;
        }
    }
    [[nodiscard]] std::uint32_t find(const CopiesOfCut &copies) const
    {
        return const_cast<StatesByCopies *>(this)->place(copies);
    }
    [[nodiscard]] const std::vector<State> &all() const { return m_states; }
    [[nodiscard]] std::vector<State> take() { return std::move(m_states); }

private:
    std::uint32_t &place(const CopiesOfCut &copies)
    {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = copies.hash() & mask;
        while (m_slots[at] != kNone && m_states[m_slots[at]].copies != copies)
            at = (at + 1) & mask;
        return m_slots[at];
    }
    void grow()
    {
        m_slots.assign(m_slots.size() * 2, kNone);
        for (std::uint32_t i = 0; i < m_states.size(); ++i)
            place(m_states[i].copies) = i;
    }

    std::vector<State> m_states;
    std::vector<std::uint32_t> m_slots;
};

using LayoutStates = StatesByCopies<LayoutState>;

} // namespace stagecraft
