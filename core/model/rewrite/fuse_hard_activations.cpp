// Exporters without hard sigmoid and hard swish write relu6(x + 3) / 6, and x times that, divided before or after the
// product.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <cmath>

namespace stagecraft {
namespace {

// Whether the operator combines one tensor with this number, as its second operand or, if order does not matter,
// either. A number with more axes than the tensor would add its axes.
bool combines(const GraphEdit &graph, OperatorId id, const char *type, float number)
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

bool dividesBySix(const GraphEdit &graph, OperatorId id)
{
    return id.isValid() && (combines(graph, id, "Div", 6.0F) || combines(graph, id, "Mul", 1.0F / 6));
}

// The x of relu6(x + 3); invalid if `id` is no such Relu6.
TensorId shiftedInput(const GraphEdit &graph, OperatorId id)
{
    const Activation *activation = graph.op(id).activation();
    if (!activation || activation->kind != ActivationKind::Relu6 || !graph.onlyInput(id).isValid() ||
        graph.isKeptApart(id))
        return {};
    const OperatorId shift = graph.producer(graph.onlyInput(id));
    if (!shift.isValid() || !combines(graph, shift, "Add", 3.0F) || graph.onlyReader(shift) != id)
        return {};
    return graph.onlyInput(shift);
}

bool isProduct(const GraphEdit &graph, OperatorId id, TensorId a, TensorId b)
{
    const Operator &op = graph.op(id);
    if (op.kind != OperatorKind::Elementwise || op.type != "Mul" || op.inputs.size() != 2 || graph.isKeptApart(id))
        return false;
    const TensorId first = op.inputs[0].front();
    const TensorId second = op.inputs[1].front();
    return (first == a && second == b) || (first == b && second == a);
}

void become(GraphEdit &graph, OperatorId id, TensorId input, const Activation &activation)
{
    Operator &op = graph.op(id);
    op.kind = OperatorKind::Activation;
    op.type = std::string(toString(activation.kind));
    op.attributes = activation;
    op.parameters.clear();
    graph.setInputs(id, {{input}});
}

} // namespace

void fuseHardActivations(GraphEdit &graph)
{
    constexpr Activation kHardSigmoid{ActivationKind::HardSigmoid, 1.0F / 6, 0.5F};
    constexpr Activation kHardSwish{ActivationKind::HardSwish, 0, 0};
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId clip = OperatorId::fromIndex(i);
        const TensorId input = graph.isAlive(clip) ? shiftedInput(graph, clip) : TensorId{};
        const OperatorId next = input.isValid() ? graph.onlyReader(clip) : OperatorId{};
        if (!next.isValid())
            continue;
        const OperatorId shift = graph.producer(graph.onlyInput(clip));
        const OperatorId behind = graph.onlyReader(next);
        OperatorId last;
        if (dividesBySix(graph, next)) {
            last = next;
            become(graph, last, input, kHardSigmoid);
        } else if (isProduct(graph, next, input, graph.op(clip).outputs.front()) && dividesBySix(graph, behind)) {
            last = behind;
            become(graph, last, input, kHardSwish);
            graph.remove(next, last);
        } else {
            continue;
        }
        graph.remove(clip, last);
        graph.remove(shift, last);
    }
}

} // namespace stagecraft
