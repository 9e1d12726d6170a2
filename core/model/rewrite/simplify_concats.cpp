// A Split behind a Concat that takes the same parts out again, and a Concat of all parts of a Split in order, move
// values for nothing: who reads the result reads what went in.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/generic_operands.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// Splits along channels, as concats join them.
bool splitsChannels(const GraphEdit &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    if (op.kind != OperatorKind::Split || op.type != "Split" || !graph.onlyInput(id).isValid())
        return false;
    const std::size_t rank = graph.tensor(graph.onlyInput(id)).shape.dims.size();
    return rank > 1 && generic::axisIn(generic::integer(op, "axis"), rank) == 1;
}

// The tensors that a Concat joins; empty where a part is a sum.
std::vector<TensorId> partsOf(const Operator &concat)
{
    std::vector<TensorId> parts;
    for (const auto &part : concat.inputs) {
        if (part.size() != 1)
            return {};
        parts.push_back(part.front());
    }
    return parts;
}

bool isAnyOutput(const GraphEdit &graph, const Operator &op)
{
    return std::ranges::any_of(op.outputs, [&](TensorId output) { return graph.isOutput(output); });
}

// The Concat before the Split, if the Split gives back its parts.
OperatorId concatBefore(const GraphEdit &graph, OperatorId split)
{
    const Operator &op = graph.op(split);
    const OperatorId concat = graph.producer(graph.onlyInput(split));
    if (!concat.isValid() || !graph.op(concat).isConcat() || isAnyOutput(graph, op))
        return {};
    const auto parts = partsOf(graph.op(concat));
    const auto alike = [&](TensorId part, TensorId output) {
        return graph.tensor(part).shape == graph.tensor(output).shape;
    };
    return std::ranges::equal(parts, op.outputs, alike) ? concat : OperatorId{};
}

// The Split whose outputs the Concat joins again.
OperatorId splitBefore(const GraphEdit &graph, OperatorId concat)
{
    const Operator &op = graph.op(concat);
    const auto parts = partsOf(op);
    if (parts.empty() || isAnyOutput(graph, op))
        return {};
    const OperatorId split = graph.producer(parts.front());
    return split.isValid() && splitsChannels(graph, split) && graph.op(split).outputs == parts ? split : OperatorId{};
}

} // namespace

void simplifyConcats(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (!graph.isAlive(id) || graph.isKeptApart(id))
            continue;
        if (splitsChannels(graph, id)) {
            const OperatorId concat = concatBefore(graph, id);
            if (!concat.isValid() || graph.isKeptApart(concat))
                continue;
            const auto parts = partsOf(graph.op(concat));
            std::vector<std::pair<TensorId, TensorId>> reads;
            for (std::size_t part = 0; part < parts.size(); ++part)
                reads.emplace_back(graph.op(id).outputs[part], parts[part]);
            graph.replaceReads(reads);
            graph.remove(id, {});
            if (graph.readers(graph.op(concat).outputs.front()).empty() && !isAnyOutput(graph, graph.op(concat)))
                graph.remove(concat, {});
        } else if (graph.op(id).isConcat()) {
            const OperatorId split = splitBefore(graph, id);
            if (!split.isValid() || graph.isKeptApart(split))
                continue;
            graph.replaceReads({{std::pair(graph.op(id).outputs.front(), graph.onlyInput(split))}});
            graph.remove(id, {});
            const auto isRead = [&](TensorId output) { return !graph.readers(output).empty(); };
            if (std::ranges::none_of(graph.op(split).outputs, isRead) && !isAnyOutput(graph, graph.op(split)))
                graph.remove(split, {});
        }
    }
}

} // namespace stagecraft
