#include "cpu/onednn/generic_operators.h"

#include "graph/operator_table.h"

namespace stagecraft::cpu {
namespace {

Place plainInput(Emitter &emitter, const Operator &op, std::size_t index)
{
    const Place &place = emitter.place(op.inputs[index].front());
    return emitter.inLayout(place, plainDesc(place.desc.dims()));
}

void emitReshape(Emitter &emitter, const Operator &op)
{
    Place from = plainInput(emitter, op, 0);
    const Place &to = emitter.place(op.outputs.front());
    from.desc = to.desc;
    emitter.copy(from, to);
}

} // namespace

Result<void> emitGeneric(Emitter &emitter, const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Reshape: emitReshape(emitter, op); return {};
    default: break;
    }
    return fail(ErrorCode::InvalidInput, "cpu has no kernel for operators of type " + displayType(op),
                "use a simulated device for this model, or convert the operator away");
}

} // namespace stagecraft::cpu
