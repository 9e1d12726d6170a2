#include "cpu/onednn/generic_operators.h"

#include "cpu/onednn/no_kernel.h"
#include "operators/schema.h"

namespace stagecraft::cpu {

Result<void> emitGeneric(Emitter &emitter, const Operator &op)
{
    if (const auto unknown = unknownAttribute(op))
        return fail(ErrorCode::InvalidInput, "cpu does not know the attribute " + *unknown + " of " + displayType(op),
                    "use a simulated device for this model, or convert the operator away");
    for (const auto emit : {emitElementwise, emitMovement, emitResize, emitProduct, emitNormalize, emitReduction}) {
        const Result<bool> done = emit(emitter, op);
        if (!done)
            return tl::unexpected(done.error());
        if (*done)
            return {};
    }
    return noKernelFor(op);
}

} // namespace stagecraft::cpu
