#include "model/rewrite/activation_patterns.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <cmath>

namespace stagecraft {

bool combinesNumber(const GraphEdit &graph, OperatorId id, const char *type, float number)
{
    const Operator &op = graph.op(id);
    if (op.kind != OperatorKind::Elementwise || op.type != type || op.parameters.size() != 1 ||
        !graph.onlyInput(id).isValid() || graph.isKeptApart(id))
        return false;
    const Parameter &constant = op.parameters.front();
    const bool ordered = op.type == "Div";
    return constant.shape.elements() == 1 && (!ordered || constant.role == role::operand(1)) &&
           graph.tensor(op.outputs.front()).shape == graph.tensor(graph.onlyInput(id)).shape &&
           std::abs(parameterValues(constant)->front() - number) < 1e-5F;
}

bool multiplies(const GraphEdit &graph, OperatorId id, TensorId a, TensorId b)
{
    const Operator &op = graph.op(id);
    if (op.kind != OperatorKind::Elementwise || op.type != "Mul" || op.inputs.size() != 2 || graph.isKeptApart(id))
        return false;
    const TensorId first = op.inputs[0].front();
    const TensorId second = op.inputs[1].front();
    return (first == a && second == b) || (first == b && second == a);
}

void becomeActivation(GraphEdit &graph, OperatorId id, TensorId input, const Activation &activation)
{
    Operator &op = graph.op(id);
    op.kind = OperatorKind::Activation;
    op.type = std::string(toString(activation.kind));
    op.attributes = activation;
    op.parameters.clear();
    graph.setInputs(id, {{input}});
}

} // namespace stagecraft
