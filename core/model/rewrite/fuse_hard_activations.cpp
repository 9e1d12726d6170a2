// Exporters without hard sigmoid and hard swish write relu6(x + 3) / 6, and x times that, divided before or after the
// product.

#include "model/rewrite/activation_patterns.h"
#include "model/rewrite/passes.h"

namespace stagecraft {
namespace {

bool dividesBySix(const GraphEdit &graph, OperatorId id)
{
    return id.isValid() && (combinesNumber(graph, id, "Div", 6.0F) || combinesNumber(graph, id, "Mul", 1.0F / 6));
}

// The x of relu6(x + 3); invalid if `id` is no such Relu6.
TensorId shiftedInput(const GraphEdit &graph, OperatorId id)
{
    const Activation *activation = graph.op(id).activation();
    if (!activation || activation->kind != ActivationKind::Relu6 || !graph.onlyInput(id).isValid() ||
        graph.isKeptApart(id))
        return {};
    const OperatorId shift = graph.producer(graph.onlyInput(id));
    if (!shift.isValid() || !combinesNumber(graph, shift, "Add", 3.0F) || graph.onlyReader(shift) != id)
        return {};
    return graph.onlyInput(shift);
}

} // namespace

void fuseHardActivations(GraphEdit &graph)
{
    constexpr Activation kHardSigmoid{ActivationKind::HardSigmoid, 1.0F / 6, 0.5F};
    constexpr Activation kHardSwish{ActivationKind::HardSwish, 0, 0};
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId clip = OperatorId::fromIndex(i);
        const TensorId input = graph.isAlive(clip) ? shiftedInput(graph, clip) : TensorId{};
        const OperatorId next = input.isValid() ? graph.onlyReader(clip) : OperatorId{};
        if (!next.isValid())
            continue;
        const OperatorId shift = graph.producer(graph.onlyInput(clip));
        const OperatorId behind = graph.onlyReader(next);
        OperatorId last;
        if (dividesBySix(graph, next)) {
            last = next;
            becomeActivation(graph, last, input, kHardSigmoid);
        } else if (multiplies(graph, next, input, graph.op(clip).outputs.front()) && dividesBySix(graph, behind)) {
            last = behind;
            becomeActivation(graph, last, input, kHardSwish);
            graph.remove(next, last);
        } else {
            continue;
        }
        graph.remove(clip, last);
        graph.remove(shift, last);
    }
}

} // namespace stagecraft
