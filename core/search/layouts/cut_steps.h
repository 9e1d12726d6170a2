#pragma once

// The steps of the layout search from one cut to the next, with a slot for every tensor that crosses cuts, from where
// it is produced to its last reader. Private to layout.

#include "schedule/layouts/layout_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);

// One step from a cut to the next: an operator, or a graph output that is brought to its layout.
struct TensorRead {
    std::uint32_t tensor = 0;
    std::size_t slot = 0;
    bool isLast = false;
};
struct CutStep {
    std::optional<std::uint32_t> op; // empty: an output of the graph
    std::vector<TensorRead> reads;
    std::vector<std::size_t> writes; // slots of the outputs; kNoSlot: nobody reads it
};

// A topological order with narrow cuts: that of the problem, or the one that always takes the operator that leaves the
// fewest tensors open, whichever promises fewer states.
class OrderMaker {
public:
    explicit OrderMaker(const LayoutProblem &problem) : m_problem(problem) {}

    std::vector<std::uint32_t> best()
    {
        std::vector<std::uint32_t> own(m_problem.operators.size());
        std::iota(own.begin(), own.end(), 0U);
        begin();
        for (const std::uint32_t op : own)
            take(op);
        const double ownStates = m_states;
        if (own.size() > kMostOperators)
            return own;
        begin();
        std::vector<std::uint32_t> left = own;
        std::vector<std::uint32_t> narrow;
        while (!left.empty()) {
            auto best = left.end();
            for (auto op = left.begin(); op != left.end(); ++op) {
                if (isReady(*op) && (best == left.end() || growth(*op) < growth(*best)))
                    best = op;
            }
            take(*best);
            narrow.push_back(*best);
            left.erase(best);
        }
        return m_states < ownStates ? narrow : own;
    }

private:
    static constexpr std::size_t kMostOperators = 5000; // it takes time with their square

    void begin()
    {
        m_readers.assign(m_problem.tensors.size(), 0);
        m_isThere.assign(m_problem.tensors.size(), false);
        for (const LayoutProblem::Operator &op : m_problem.operators) {
            for (const std::uint32_t tensor : op.inputs)
                ++m_readers[tensor];
        }
        for (std::size_t tensor = 0; tensor < m_isThere.size(); ++tensor)
            m_isThere[tensor] = m_problem.tensors[tensor].isInput;
        m_open = 0;
        m_states = 0;
    }
    [[nodiscard]] bool isReady(std::uint32_t op) const
    {
        return std::ranges::all_of(m_problem.operators[op].inputs, [this](std::uint32_t t) { return m_isThere[t]; });
    }
    [[nodiscard]] int growth(std::uint32_t op) const
    {
        const LayoutProblem::Operator &what = m_problem.operators[op];
        const auto opened = std::ranges::count_if(what.outputs, [this](std::uint32_t t) { return m_readers[t] > 0; });
        const auto closed = std::ranges::count_if(what.inputs, [this](std::uint32_t t) { return m_readers[t] == 1; });
        return static_cast<int>(opened - closed);
    }
    void take(std::uint32_t op)
    {
        m_open += growth(op);
        for (const std::uint32_t tensor : m_problem.operators[op].inputs)
            --m_readers[tensor];
        for (const std::uint32_t tensor : m_problem.operators[op].outputs)
            m_isThere[tensor] = true;
        constexpr double kStatesPerTensor = 2.5; // between one copy or the other, and both
        m_states += std::pow(kStatesPerTensor, m_open);
    }

    const LayoutProblem &m_problem;
    std::vector<std::uint32_t> m_readers; // by tensor: operators to come
    std::vector<bool> m_isThere;
    int m_open = 0;
    double m_states = 0;
};

[[nodiscard]] inline std::vector<std::uint32_t> narrowOrder(const LayoutProblem &problem)
{
    return OrderMaker(problem).best();
}

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
