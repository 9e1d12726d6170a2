#include "cpu/onednn/generic_operators.h"

#include "graph/operator_table.h"

namespace stagecraft::cpu {

Result<void> emitGeneric(Emitter &emitter, const Operator &op)
{
    for (const auto emit : {emitElementwise, emitMovement, emitResize, emitProduct, emitNormalize, emitReduction}) {
        const Result<bool> done = emit(emitter, op);
        if (!done)
            return tl::unexpected(done.error());
        if (*done)
            return {};
    }
    return fail(ErrorCode::InvalidInput, "cpu has no kernel for this operator of type " + displayType(op),
                "use a simulated device for this model, or convert the operator away");
}

} // namespace stagecraft::cpu
