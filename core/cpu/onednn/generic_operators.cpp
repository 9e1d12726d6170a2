#include "cpu/onednn/generic_operators.h"

#include "cpu/onednn/no_kernel.h"
#include "operators/generic_operands.h"
#include "operators/schema.h"

#include <map>
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

} // namespace

Result<void> emitGeneric(Emitter &emitter, const Operator &op)
{
    if (const auto unknown = unknownAttribute(op))
        return fail(ErrorCode::InvalidInput, "cpu does not know the attribute " + *unknown + " of " + displayType(op),
                    "use a simulated device for this model, or convert the operator away");
    const auto found = kernels().find(op.type);
    const Emit emit = found == kernels().end() ? emitElementwise : found->second;
    // An operator of kind Unknown has a form that cpu does not know; functions of one tensor and products have one
    // only.
    const bool hasOneForm = emit == emitProduct || (emit == emitElementwise && generic::operandsOf(op).size() == 1);
    if (op.kind == OperatorKind::Unknown && !hasOneForm)
        return noKernelFor(op);
    const Result<bool> done = emit(emitter, op);
    if (!done)
        return tl::unexpected(done.error());
    return *done ? Result<void>() : noKernelFor(op);
}

} // namespace stagecraft::cpu
