// Which function emits an operator. The export of a C++ project writes this file with the cases that its schedule
// needs.

#include "device/cpu/onednn/emitter.h"
#include "device/cpu/onednn/generic_operators.h"

namespace stagecraft::cpu {

Result<void> emitByKind(Emitter &emitter, const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv: emitConv(emitter, op); return {};
    case OperatorKind::SepConv: emitSepConv(emitter, op); return {};
    case OperatorKind::ConvTranspose: emitConvTranspose(emitter, op); return {};
    case OperatorKind::Pool: emitPool(emitter, op); return {};
    case OperatorKind::BatchNorm: emitBatchNorm(emitter, op); return {};
    case OperatorKind::Gemm: emitGemm(emitter, op); return {};
    case OperatorKind::Activation:
        if (emitActivationOperator(emitter, op))
            return {};
        break;
    default: break;
    }
    return emitGeneric(emitter, op);
}

void emitMerged(Emitter &emitter, const plan::MergedOperator &merged, const Place &to)
{
    switch (merged.op.kind) {
    case OperatorKind::Gemm: emitMergedGemm(emitter, merged, to); return;
    default: emitMergedConv(emitter, merged, to);
    }
}

} // namespace stagecraft::cpu
