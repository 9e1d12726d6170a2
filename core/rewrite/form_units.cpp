#include "rewrite/form_units.h"

#include "operators/schema.h"
#include "rewrite/graph_edit.h"
#include "rewrite/passes.h"

namespace stagecraft {

Result<Graph> formUnits(Graph graph, const std::set<std::string> &keptApart)
{
    GraphEdit edit(std::move(graph), keptApart);
    edit.removeDead();
    fuseHardActivations(edit);
    fuseGatedActivations(edit);
    foldPads(edit);
    foldBatchNorm(edit);
    formSepConvs(edit);
    fuseActivations(edit);
    formReluConvs(edit);
    foldSums(edit);
    edit.removeDead();
    for (std::size_t i = 0; i < edit.size(); ++i) {
        Operator &op = edit.op(OperatorId::fromIndex(i));
        if (op.kind == OperatorKind::Conv || op.kind == OperatorKind::SepConv || op.kind == OperatorKind::Join ||
            op.kind == OperatorKind::Gemm)
            op.type = displayType(op);
    }
    return std::move(edit).build();
}

} // namespace stagecraft
