#include "schedule/layouts/layout_problem.h"

#include "graph/graph.h"

#include <algorithm>
#include <functional>

namespace stagecraft {
namespace {

using Choice = LayoutProblem::Choice;

// Keeps the choices that satisfy the first of the conditions that any of them satisfies.
void preferring(std::vector<Choice> &choices, std::initializer_list<std::function<bool(const Choice &)>> conditions)
{
    for (const auto &holds : conditions) {
        if (std::ranges::none_of(choices, holds))
            continue;
        std::erase_if(choices, std::not_fn(holds));
        return;
    }
}

} // namespace

LayoutProblem layoutProblemOf(const Graph &graph, std::vector<std::string> layouts, LayoutIndex fixed)
{
    LayoutProblem problem;
    problem.layouts = std::move(layouts);
    problem.fixed = fixed;
    for (const Tensor &tensor : graph.tensors())
        problem.tensors.push_back({tensor.name, 0, false, false});
    for (const TensorId input : graph.inputs())
        problem.tensors[input.index()].isInput = true;
    for (const TensorId output : graph.outputs())
        problem.tensors[output.index()].isOutput = true;
    for (const Operator &op : graph.operators()) {
        LayoutProblem::Operator &made = problem.operators.emplace_back();
        made.name = op.name;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part) {
                const auto input = static_cast<std::uint32_t>(tensor.index());
                if (std::ranges::find(made.inputs, input) == made.inputs.end())
                    made.inputs.push_back(input);
            }
        }
        for (const TensorId tensor : op.outputs)
            made.outputs.push_back(static_cast<std::uint32_t>(tensor.index()));
    }
    const std::size_t count = problem.layouts.size();
    problem.conversionTables.emplace_back(count * count, kImpossible);
    return problem;
}

LayoutProblem withLayouts(const LayoutProblem &problem, std::span<const LayoutIndex> kept)
{
    const auto placeOf = [&](LayoutIndex layout) {
        return static_cast<LayoutIndex>(std::ranges::find(kept, layout) - kept.begin());
    };
    LayoutProblem result = problem;
    result.fixed = placeOf(problem.fixed);
    result.layouts.clear();
    for (const LayoutIndex layout : kept)
        result.layouts.push_back(problem.layouts[layout]);
    for (LayoutProblem::Operator &op : result.operators) {
        std::erase_if(op.choices, [&](const Choice &choice) {
            return placeOf(choice.layouts.in) == kept.size() || placeOf(choice.layouts.out) == kept.size();
        });
        for (Choice &choice : op.choices)
            choice.layouts = {placeOf(choice.layouts.in), placeOf(choice.layouts.out)};
    }
    for (std::size_t i = 0; i < problem.conversionTables.size(); ++i) {
        result.conversionTables[i].clear();
        for (const LayoutIndex from : kept) {
            for (const LayoutIndex to : kept)
                result.conversionTables[i].push_back(problem.conversionTables[i][from * problem.layouts.size() + to]);
        }
    }
    return result;
}

LayoutProblem allIn(LayoutProblem problem, LayoutIndex layout)
{
    for (LayoutProblem::Operator &op : problem.operators) {
        const bool reads = !op.inputs.empty();
        preferring(op.choices,
                   {[=](const Choice &choice) {
                        return (!reads || choice.layouts.in == layout) && choice.layouts.out == layout;
                    },
                    [=](const Choice &choice) { return choice.layouts.in == layout || choice.layouts.out == layout; }});
    }
    return problem;
}

LayoutProblem fastestEach(LayoutProblem problem)
{
    for (LayoutProblem::Operator &op : problem.operators) {
        double least = kImpossible;
        for (const Choice &choice : op.choices)
            least = std::min(least, choice.latencyUs);
        std::erase_if(op.choices, [least](const Choice &choice) { return choice.latencyUs > least; });
    }
    return problem;
}

} // namespace stagecraft
