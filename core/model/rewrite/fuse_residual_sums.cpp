// A convolution takes the sum of what it makes and another tensor, the shortcut of a residual block (He et al., CVPR
// 2016), with the activation behind: libraries add while they write (cuDNN's convolution, bias and activation,
// oneDNN's post-ops). Of two convolutions the later one takes it, since the other is done by then.

#include "model/rewrite/fused_unit.h"
#include "model/rewrite/passes.h"

#include <cstddef>
#include <vector>

namespace stagecraft {
namespace {

bool isSumOfTwo(const Operator &op)
{
    return op.isSum() && op.inputs.front().size() == 2 && op.outputs.size() == 1;
}

// Makes what the sum adds, and nothing else reads it. Without an activation: that would come before the sum.
bool takesSums(const GraphEdit &graph, OperatorId id, OperatorId sum)
{
    if (!id.isValid() || graph.isKeptApart(id) || graph.onlyReader(id) != sum)
        return false;
    const Operator &op = graph.op(id);
    return op.kind == OperatorKind::Conv && op.conv() && op.outputs.size() == 1 &&
           op.conv()->after.kind == ActivationKind::None &&
           graph.tensor(op.outputs.front()).shape == graph.tensor(graph.op(sum).outputs.front()).shape;
}

// Invalid: neither operand is a convolution that takes it.
OperatorId convolutionOf(const GraphEdit &graph, OperatorId sum)
{
    OperatorId found;
    for (const TensorId operand : graph.op(sum).inputs.front()) {
        const OperatorId id = graph.producer(operand);
        if (takesSums(graph, id, sum) && (!found.isValid() || found < id))
            found = id;
    }
    return found;
}

// The activation behind the sum, where nothing else reads the sum; otherwise invalid.
OperatorId activationBehind(const GraphEdit &graph, OperatorId sum)
{
    const OperatorId id = graph.onlyReader(sum);
    if (!id.isValid() || graph.isKeptApart(id) || !graph.onlyInput(id).isValid())
        return {};
    const Activation *activation = graph.op(id).activation();
    return activation && activation->kind != ActivationKind::Other ? id : OperatorId();
}

} // namespace

void fuseResidualSums(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId sum = OperatorId::fromIndex(i);
        if (!graph.isAlive(sum) || graph.isKeptApart(sum) || !isSumOfTwo(graph.op(sum)))
            continue;
        const OperatorId convolution = convolutionOf(graph, sum);
        if (!convolution.isValid())
            continue;
        std::vector<OperatorId> operators{convolution, sum};
        if (const OperatorId activation = activationBehind(graph, sum); activation.isValid())
            operators.push_back(activation);
        formFusedUnit(graph, operators, convolution);
    }
}

} // namespace stagecraft
