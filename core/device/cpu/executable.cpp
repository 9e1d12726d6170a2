#include "device/cpu/executable.h"

#include "operators/values/narrow_floats.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

// Tensors without elements are for the evaluator, which does not execute units.
bool isEmptyFor(const Operator &op, const Tensor &tensor)
{
    return !isKept(op) && tensor.shape.known && tensor.shape.elements() == 0;
}

} // namespace

bool isForReals(const Tensor &tensor)
{
    const bool isReal = tensor.type == DataType::Float32 || isNarrowFloat(tensor.type);
    return isReal && !tensor.shape.atMost && (!tensor.shape.known || tensor.shape.elements() > 0);
}

bool needsEvaluation(const Graph &graph, const Operator &op)
{
    const auto isOther = [&](TensorId id) { return !isForReals(graph.tensor(id)); };
    return std::ranges::any_of(op.inputs, [&](const auto &part) { return std::ranges::any_of(part, isOther); }) ||
           std::ranges::any_of(op.outputs, isOther);
}

bool isKept(const Operator &op)
{
    return std::holds_alternative<GenericAttributes>(op.attributes) && op.kind != OperatorKind::Join;
}

std::optional<TensorFault> faultOf(const Tensor &tensor)
{
    if (!tensor.shape.known)
        return TensorFault::UnknownShape;
    if (tensor.type == DataType::Other)
        return TensorFault::OtherType;
    return tensor.shape.dims.size() > kMostDimensions ? std::optional(TensorFault::TooManyDimensions) : std::nullopt;
}

std::optional<FaultyTensor> faultOf(const Graph &graph, const Operator &op)
{
    for (const auto &part : op.inputs) {
        for (const TensorId input : part) {
            if (isEmptyFor(op, graph.tensor(input)))
                return FaultyTensor{input, TensorFault::NoValues};
        }
    }
    for (const TensorId output : op.outputs) {
        const bool matters = output == op.outputs.front() || graph.isUsed(output);
        if (const auto fault = faultOf(graph.tensor(output)); matters && fault)
            return FaultyTensor{output, *fault};
        if (isEmptyFor(op, graph.tensor(output)))
            return FaultyTensor{output, TensorFault::NoValues};
    }
    return std::nullopt;
}

} // namespace stagecraft::cpu
