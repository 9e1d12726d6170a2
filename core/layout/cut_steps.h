#pragma once

// The steps of the layout search from one cut to the next, with a slot for every tensor that crosses cuts, from where
// it is produced to its last reader. Private to layout.

#include "layout/layout_problem.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);

// One step from a cut to the next: an operator, or a graph output that is brought to its layout.
struct Reading {
    std::uint32_t tensor = 0;
    std::size_t slot = 0;
    bool isLast = false;
};
struct CutStep {
    std::optional<std::uint32_t> op; // empty: an output of the graph
    std::vector<Reading> reads;
    std::vector<std::size_t> writes; // slots of the outputs; kNoSlot: nobody reads it
};

// Gives every tensor a slot from where it is produced to its last reader.
class StepMaker {
public:
    explicit StepMaker(const LayoutProblem &problem) : m_problem(problem), m_slots(problem.tensors.size(), kNoSlot) {}

    std::vector<CutStep> make(std::span<const std::uint32_t> order)
    {
        m_readers.assign(m_problem.tensors.size(), 0);
        for (const LayoutProblem::Operator &op : m_problem.operators) {
            for (const std::uint32_t tensor : op.inputs)
                ++m_readers[tensor];
        }
        for (std::uint32_t tensor = 0; tensor < m_slots.size(); ++tensor) {
            if (m_problem.tensors[tensor].isInput && isUsed(tensor))
                open(tensor);
        }
        m_inputSlots = m_slots;
        for (std::uint32_t tensor = 0; tensor < m_slots.size(); ++tensor) {
            if (m_problem.tensors[tensor].isInput)
                closeOutput(tensor);
        }
        for (const std::uint32_t op : order)
            addOperator(op);
        return std::move(m_steps);
    }

    [[nodiscard]] const std::vector<std::size_t> &inputSlots() const { return m_inputSlots; } // kNoSlot: not an input
    [[nodiscard]] std::size_t slots() const { return m_used; }
    [[nodiscard]] std::size_t widest() const { return m_widest; }

private:
    [[nodiscard]] bool isUsed(std::uint32_t tensor) const
    {
        return m_readers[tensor] > 0 || m_problem.tensors[tensor].isOutput;
    }
    void open(std::uint32_t tensor)
    {
        if (m_free.empty())
            m_free.push_back(m_used++);
        m_slots[tensor] = m_free.back();
        m_free.pop_back();
        m_widest = std::max(m_widest, ++m_open);
    }
    void close(std::uint32_t tensor)
    {
        m_free.push_back(m_slots[tensor]);
        --m_open;
    }

    void addOperator(std::uint32_t index)
    {
        const LayoutProblem::Operator &op = m_problem.operators[index];
        CutStep step;
        step.op = index;
        for (const std::uint32_t tensor : op.inputs) {
            --m_readers[tensor];
            const bool isLast = m_readers[tensor] == 0 && !m_problem.tensors[tensor].isOutput;
            step.reads.push_back({tensor, m_slots[tensor], isLast});
            if (isLast)
                close(tensor);
        }
        for (const std::uint32_t tensor : op.outputs) {
            if (isUsed(tensor))
                open(tensor);
            step.writes.push_back(m_slots[tensor]);
        }
        m_steps.push_back(std::move(step));
        for (const std::uint32_t tensor : op.inputs)
            closeOutput(tensor);
        for (const std::uint32_t tensor : op.outputs)
            closeOutput(tensor);
    }

    // An output of the graph leaves as soon as nobody else reads it.
    void closeOutput(std::uint32_t tensor)
    {
        if (!m_problem.tensors[tensor].isOutput || m_readers[tensor] > 0)
            return;
        m_steps.push_back({std::nullopt, {{tensor, m_slots[tensor], true}}, {}});
        close(tensor);
    }

    const LayoutProblem &m_problem;
    std::vector<std::size_t> m_slots; // by tensor
    std::vector<std::size_t> m_inputSlots;
    std::vector<std::uint32_t> m_readers; // by tensor: operators to come
    std::vector<std::size_t> m_free;
    std::vector<CutStep> m_steps;
    std::size_t m_used = 0;
    std::size_t m_open = 0;
    std::size_t m_widest = 0;
};

} // namespace stagecraft
