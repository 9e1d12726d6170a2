#include "graph/graph.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

bool Graph::isUsed(TensorId id) const
{
    const auto reads = [id](const Operator &op) {
        return std::ranges::any_of(op.inputs, [id](const auto &part) { return std::ranges::count(part, id) > 0; });
    };
    return std::ranges::count(m_outputs, id) > 0 || std::ranges::any_of(m_operators, reads);
}

Shape Graph::inputShape(OperatorId id) const
{
    const InputExpression &inputs = op(id).inputs;
    Shape shape = tensor(inputs.front().front()).shape;
    for (std::size_t part = 1; part < inputs.size(); ++part)
        shape.dims[1] += tensor(inputs[part].front()).shape.channels();
    return shape;
}

TensorId Graph::addTensor(Tensor tensor)
{
    m_tensors.push_back(std::move(tensor));
    return TensorId::fromIndex(m_tensors.size() - 1);
}

void Graph::releaseConstants()
{
    for (Operator &op : m_operators)
        op.parameters.clear();
}

OperatorId Graph::addOperator(Operator op, double flops)
{
    const OperatorId id = OperatorId::fromIndex(m_operators.size());
    for (const TensorId output : op.outputs)
        m_tensors[output.index()].producer = id;
    m_operators.push_back(std::move(op));
    m_flops.push_back(flops);
    return id;
}

} // namespace stagecraft
