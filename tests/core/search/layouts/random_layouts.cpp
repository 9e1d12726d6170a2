#include "random_layouts.h"

#include <algorithm>
#include <random>
#include <vector>

namespace stagecraft::test {
namespace {

class Tries {
public:
    explicit Tries(const LayoutProblem &problem) : m_problem(problem)
    {
        for (const LayoutProblem::Tensor &tensor : problem.tensors) {
            m_made.push_back(problem.fixed);
            m_needed.push_back(tensor.isOutput ? only(problem.fixed) : LayoutSet{0});
        }
    }

    double least(std::size_t op, double us)
    {
        if (op == m_problem.operators.size())
            return us + conversionsUs();
        double best = kImpossible;
        const LayoutProblem::Operator &what = m_problem.operators[op];
        for (const LayoutProblem::Choice &choice : what.choices) {
            const std::vector<LayoutSet> needed = m_needed;
            for (const std::uint32_t tensor : what.inputs)
                m_needed[tensor] |= only(choice.layouts.in);
            for (const std::uint32_t tensor : what.outputs)
                m_made[tensor] = choice.layouts.out;
            best = std::min(best, least(op + 1, us + choice.latencyUs));
            m_needed = needed;
        }
        return best;
    }

private:
    double conversionsUs() const
    {
        double us = 0;
        for (std::uint32_t tensor = 0; tensor < m_made.size(); ++tensor)
            us += copiesUs(tensor, only(m_made[tensor]));
        return us;
    }

    // From these copies of the tensor to all that are needed, one conversion after the other.
    double copiesUs(std::uint32_t tensor, LayoutSet copies) const
    {
        if ((m_needed[tensor] & ~copies) == 0)
            return 0;
        double best = kImpossible;
        for (LayoutIndex from = 0; from < m_problem.layouts.size(); ++from) {
            for (LayoutIndex to = 0; to < m_problem.layouts.size(); ++to) {
                const double us = m_problem.conversionUs(tensor, from, to);
                if (has(copies, from) && !has(copies, to) && us != kImpossible)
                    best = std::min(best, us + copiesUs(tensor, copies | only(to)));
            }
        }
        return best;
    }

    const LayoutProblem &m_problem;
    std::vector<LayoutIndex> m_made;
    std::vector<LayoutSet> m_needed;
};

} // namespace

LayoutProblem randomLayoutProblem(std::uint32_t seed, const RandomLayoutOptions &options)
{
    std::mt19937 random(seed);
    const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const auto sixteenths = [&](std::size_t n) { return static_cast<double>(1 + below(n)) / 16; };

    LayoutProblem problem;
    for (std::size_t i = 0; i < options.layouts; ++i)
        problem.layouts.push_back("L" + std::to_string(i));
    const auto add = [&](bool isInput) {
        ConversionTable &table = problem.conversionTables.emplace_back();
        for (std::size_t i = 0; i < options.layouts * options.layouts; ++i) {
            const bool isDear = chance(options.detours);
            table.push_back(isDear ? (chance(0.3) ? kImpossible : 20 * sixteenths(300)) : sixteenths(300));
        }
        const auto index = static_cast<std::uint32_t>(problem.tensors.size());
        problem.tensors.push_back({"t" + std::to_string(index), index, isInput, false});
        return index;
    };
    add(true);
    if (chance(0.3))
        add(true);
    std::vector<bool> isRead(2 + 2 * options.operators);
    for (std::size_t i = 0; i < options.operators; ++i) {
        LayoutProblem::Operator op{"op" + std::to_string(i), {}, {}, {}};
        for (std::size_t reads = 1 + below(3); reads > 0; --reads) {
            // The first tensors have many readers.
            const std::size_t some =
                chance(0.4) ? std::min<std::size_t>(problem.tensors.size(), 3) : problem.tensors.size();
            const auto tensor = static_cast<std::uint32_t>(below(some));
            if (std::ranges::find(op.inputs, tensor) == op.inputs.end())
                op.inputs.push_back(tensor);
            isRead[tensor] = true;
        }
        op.outputs.push_back(add(false));
        if (chance(0.15))
            op.outputs.push_back(add(false));
        for (LayoutIndex in = 0; in < options.layouts; ++in) {
            for (LayoutIndex out = 0; out < options.layouts; ++out) {
                if (!chance(options.refused))
                    op.choices.push_back({{in, out}, sixteenths(1000)});
            }
        }
        problem.operators.push_back(std::move(op));
    }
    for (std::size_t i = 0; i < problem.tensors.size(); ++i)
        problem.tensors[i].isOutput = !problem.tensors[i].isInput && (!isRead[i] || chance(0.1));
    return problem;
}

double leastLatencyByTrying(const LayoutProblem &problem)
{
    return Tries(problem).least(0, 0);
}

} // namespace stagecraft::test
