#include "device/cpu/onednn/generic_operators.h"

#include "device/cpu/onednn/no_kernel.h"
#include "operators/generic_operands.h"
#include "operators/schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace stagecraft::cpu {
namespace {

using Emit = Result<bool> (*)(Emitter &, const Operator &);

// Types that are not here are functions of single elements, or have no kernel.
const std::map<std::string_view, Emit> &kernels()
{
    static const std::map<std::string_view, Emit> table{
        {"Concat", emitMovement},
        {"DepthToSpace", emitMovement},
        {"Expand", emitMovement},
        {"Flatten", emitMovement},
        {"Gather", emitMovement},
        {"Gemm", emitProduct},
        {"GroupNormalization", emitNormalize},
        {"InstanceNormalization", emitNormalize},
        {"LRN", emitNormalize},
        {"LayerNormalization", emitNormalize},
        {"LogSoftmax", emitReduction},
        {"LpNormalization", emitNormalize},
        {"MatMul", emitProduct},
        {"MeanVarianceNormalization", emitNormalize},
        {"Pad", emitMovement},
        {"ReduceL1", emitReduction},
        {"ReduceL2", emitReduction},
        {"ReduceLogSum", emitReduction},
        {"ReduceLogSumExp", emitReduction},
        {"ReduceMax", emitReduction},
        {"ReduceMean", emitReduction},
        {"ReduceMin", emitReduction},
        {"ReduceProd", emitReduction},
        {"ReduceSum", emitReduction},
        {"ReduceSumSquare", emitReduction},
        {"Reshape", emitMovement},
        {"Resize", emitResize},
        {"Slice", emitMovement},
        {"Softmax", emitReduction},
        {"SpaceToDepth", emitMovement},
        {"Split", emitMovement},
        {"Squeeze", emitMovement},
        {"Tile", emitMovement},
        {"Transpose", emitMovement},
        {"Unsqueeze", emitMovement},
        {"Upsample", emitResize},
    };
    return table;
}

// Whether what has to be known of an operator before it runs, its sizes or axes, is computed.
bool computesSizes(const Operator &op)
{
    static const std::set<std::string_view> withSizes{"Expand", "Pad",     "Reshape", "Resize",    "Slice",
                                                      "Split",  "Squeeze", "Tile",    "Unsqueeze", "Upsample"};
    if (!withSizes.contains(op.type) && !op.type.starts_with("Reduce"))
        return false;
    const auto operands = generic::operandsOf(op);
    return std::any_of(operands.begin() + std::min<std::ptrdiff_t>(1, std::ssize(operands)), operands.end(),
                       [](const auto &operand) { return operand && operand->tensor.isValid(); });
}

} // namespace

Result<void> emitGeneric(Emitter &emitter, const Operator &op)
{
    if (const auto unknown = unknownAttribute(op))
        return fail(ErrorCode::InvalidInput, "cpu does not know the attribute " + *unknown + " of " + displayType(op),
                    "use a simulated device for this model, or convert the operator away");
    if (computesSizes(op))
        return noKernelFor(op); // whether they are those of its output shows when it runs
    const auto found = kernels().find(op.type);
    const Emit emit = found == kernels().end() ? emitElementwise : found->second;
    // An operator of kind Unknown has a form that cpu does not know; functions of one tensor and products have one
    // only.
    const bool hasOneForm = emit == emitProduct || (emit == emitElementwise && generic::operandsOf(op).size() == 1);
    if (op.kind == OperatorKind::Unknown && !hasOneForm)
        return noKernelFor(op);
    TRY_AS(const auto done, emit(emitter, op));
    return done ? Result<void>() : noKernelFor(op);
}

} // namespace stagecraft::cpu
