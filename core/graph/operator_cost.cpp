// Arithmetic and memory traffic of one execution of an operator.

#include "graph/graph.h"
#include "graph/operator_table.h"

namespace stagecraft {
namespace {

// Additions in the input expression: one per element for each summand after the first.
double expressionFlops(const Graph &graph, const Operator &op)
{
    if (!factsOf(op.kind).expressionInput)
        return 0;
    double sum = 0;
    for (const std::vector<TensorId> &part : op.inputs) {
        if (part.size() > 1)
            sum += static_cast<double>(part.size() - 1) * static_cast<double>(graph.tensor(part[0]).shape.elements());
    }
    return sum;
}

double activationFlops(const Activation &activation, std::int64_t elements)
{
    return activation.kind == ActivationKind::None ? 0.0 : static_cast<double>(elements);
}

} // namespace

double flops(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const Shape input = graph.inputShape(id);
    const Shape &output = graph.outputShape(id);
    const auto outputs = static_cast<double>(output.elements());
    double total = expressionFlops(graph, op);
    if (const ConvAttributes *conv = op.conv(); conv && op.kind == OperatorKind::Conv) {
        const std::int64_t inputs =
            input.channels() / conv->groups * conv->window.kernel[0] * conv->window.kernel[1]; // for one output element
        total += 2.0 * outputs * static_cast<double>(inputs);
        total += activationFlops(conv->before, input.elements()) + activationFlops(conv->after, output.elements());
    } else if (const SepConvAttributes *sep = op.sepConv()) {
        const double pixels = static_cast<double>(output.batch() * output.height() * output.width());
        const auto channels = static_cast<double>(input.channels());
        total += 2.0 * pixels * channels * static_cast<double>(sep->window.kernel[0] * sep->window.kernel[1]);
        total += 2.0 * pixels * channels * static_cast<double>(sep->outChannels);
        total += activationFlops(sep->before, input.elements()) + activationFlops(sep->after, output.elements());
    } else if (const PoolAttributes *pool = op.pool()) {
        total += pool->global ? static_cast<double>(input.elements())
                              : outputs * static_cast<double>(pool->window.kernel[0] * pool->window.kernel[1]);
    } else if (const GemmAttributes *gemm = op.gemm()) {
        total +=
            2.0 * outputs * static_cast<double>(gemm->inFeatures) + activationFlops(gemm->after, output.elements());
    } else if (op.kind == OperatorKind::Join || op.kind == OperatorKind::Reshape ||
               op.kind == OperatorKind::Transpose || op.kind == OperatorKind::Slice || op.kind == OperatorKind::Split ||
               op.kind == OperatorKind::Pad) {
        return total; // it only moves bytes
    } else if (op.kind == OperatorKind::ConvTranspose) {
        if (const Parameter *weight = op.parameter("weight"); weight && input.channels() > 0) {
            const std::int64_t pixels = input.elements() / input.channels();
            total += 2.0 * static_cast<double>(pixels * weight->shape.elements());
        }
    } else {
        total += outputs;
    }
    return total;
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
