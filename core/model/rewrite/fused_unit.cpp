#include "model/rewrite/fused_unit.h"

#include "operators/schema.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// What a unit is does not depend on how its elements lie.
bool moves(const Operator &op)
{
    return op.kind == OperatorKind::Reshape || op.kind == OperatorKind::Transpose;
}

Graph bodyOf(const GraphEdit &graph, std::span<const OperatorId> operators, std::vector<TensorId> &operands)
{
    Graph::Parts parts;
    std::unordered_map<TensorId, TensorId> moved; // tensor of the graph, of the body
    const auto add = [&](TensorId id, OperatorId producer) {
        const TensorId place = TensorId::fromIndex(parts.tensors.size());
        parts.tensors.push_back(graph.tensor(id));
        parts.tensors.back().producer = producer;
        moved.emplace(id, place);
        return place;
    };
    for (const OperatorId id : operators) {
        for (const auto &part : graph.op(id).inputs) {
            for (const TensorId input : part) {
                const OperatorId producer = graph.producer(input);
                const bool isInside = producer.isValid() && std::ranges::binary_search(operators, producer);
                if (isInside || moved.contains(input))
                    continue;
                operands.push_back(input);
                parts.inputs.push_back(add(input, {}));
            }
        }
    }
    for (const OperatorId id : operators) {
        Operator op = graph.op(id);
        for (auto &part : op.inputs)
            std::ranges::transform(part, part.begin(), [&](TensorId input) { return moved.at(input); });
        for (TensorId &output : op.outputs)
            output = add(output, OperatorId::fromIndex(parts.operators.size()));
        parts.operators.push_back(std::move(op));
    }
    parts.outputs = parts.operators.back().outputs;
    return Graph::fromParts(std::move(parts));
}

} // namespace

void formFusedUnit(GraphEdit &graph, std::span<const OperatorId> operators, OperatorId main)
{
    std::vector<TensorId> operands;
    auto body = std::make_shared<const Graph>(bodyOf(graph, operators, operands));
    const OperatorId last = operators.back();
    Operator fused;
    fused.name = graph.op(main).name;
    fused.kind = OperatorKind::Fused;
    const bool onlyMoves = std::ranges::all_of(body->operators(), moves);
    for (const Operator &op : body->operators()) {
        if (onlyMoves || !moves(op))
            fused.type += (fused.type.empty() ? "" : "-") + displayType(op);
        fused.parameters.insert(fused.parameters.end(), op.parameters.begin(), op.parameters.end());
    }
    fused.attributes = FusedAttributes{std::move(body)};
    InputExpression inputs;
    for (const TensorId operand : operands)
        inputs.push_back({operand});
    graph.replace(last, main, std::move(fused), std::move(inputs));
    for (const OperatorId id : operators) {
        if (id != last && id != main)
            graph.remove(id, last);
    }
}

} // namespace stagecraft
