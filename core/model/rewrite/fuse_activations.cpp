// An activation fuses into the convolution or matrix product before it, if it is the only reader.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/parameter_roles.h"

namespace stagecraft {
namespace {

Activation *freeActivation(Operator &op)
{
    Activation *after = nullptr;
    if (auto *conv = std::get_if<ConvAttributes>(&op.attributes))
        after = &conv->after;
    else if (auto *sep = std::get_if<SepConvAttributes>(&op.attributes))
        after = &sep->after;
    else if (auto *gemm = std::get_if<GemmAttributes>(&op.attributes))
        after = &gemm->after;
    return after && after->kind == ActivationKind::None ? after : nullptr;
}

} // namespace

void fuseActivations(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        Activation *after = graph.isAlive(id) && !graph.isKeptApart(id) ? freeActivation(graph.op(id)) : nullptr;
        const OperatorId reader = after ? graph.onlyReader(id) : OperatorId{};
        if (!reader.isValid() || graph.isKeptApart(reader))
            continue;
        const Activation *activation = graph.op(reader).activation();
        if (!activation || activation->kind == ActivationKind::Other || !graph.onlyInput(reader).isValid())
            continue;
        *after = *activation;
        for (const Parameter &parameter : graph.op(reader).parameters)
            graph.op(id).parameters.push_back(parameter); // the slope of a PRelu
        graph.absorbReader(id, reader);
    }
}

} // namespace stagecraft
