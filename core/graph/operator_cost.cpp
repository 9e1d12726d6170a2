#include "graph/operator_cost.h"

#include "operators/schema.h"

namespace stagecraft {
namespace {

// Additions in the input expression: one per element for each summand after the first.
double expressionFlops(const Graph &graph, const Operator &op)
{
    if (!kindSchema(op.kind).expressionInput)
        return 0;
    double sum = 0;
    for (const std::vector<TensorId> &part : op.inputs) {
        if (part.size() > 1)
            sum += static_cast<double>(part.size() - 1) * static_cast<double>(graph.tensor(part[0]).shape.elements());
    }
    return sum;
}

} // namespace

std::optional<double> multiplyAdds(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    if (op.kind != OperatorKind::Unknown)
        return std::nullopt;
    std::vector<Shape> shapes;
    for (const auto &part : op.inputs) {
        for (const TensorId input : part)
            shapes.push_back(graph.tensor(input).shape);
    }
    return multiplyAddsOf(op, shapes, graph.outputShape(id));
}

double flops(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    if (const Graph *body = op.body()) {
        double sum = 0;
        for (std::size_t i = 0; i < body->size(); ++i)
            sum += flops(*body, OperatorId::fromIndex(i));
        return sum;
    }
    if (const auto products = multiplyAdds(graph, id))
        return 2 * *products;
    return expressionFlops(graph, op) + flopsOf(op, graph.inputShape(id), graph.outputShape(id));
}

double memoryBytes(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    double bytes = 0;
    for (const std::vector<TensorId> &part : op.inputs) {
        for (const TensorId input : part)
            bytes += static_cast<double>(graph.tensor(input).sizeBytes());
    }
    for (const TensorId output : op.outputs)
        bytes += static_cast<double>(graph.tensor(output).sizeBytes());
    for (const Parameter &parameter : op.parameters)
        bytes += static_cast<double>(parameter.shape.elements() * sizeBytes(parameter.type));
    return bytes;
}

} // namespace stagecraft
