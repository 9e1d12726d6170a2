// Exporters write SiLU as x * sigmoid(x) and hard swish as x * hardsigmoid(x).

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"

#include <cmath>
#include <optional>

namespace stagecraft {
namespace {

std::optional<Activation> gated(const Operator &gate)
{
    const Activation *activation = gate.activation();
    if (!activation)
        return std::nullopt;
    if (activation->kind == ActivationKind::Sigmoid)
        return Activation{ActivationKind::Silu, 0, 0};
    const bool standard = std::abs(activation->alpha - 1.0F / 6) < 1e-4F && activation->beta == 0.5F;
    if (activation->kind == ActivationKind::HardSigmoid && standard)
        return Activation{ActivationKind::HardSwish, 0, 0};
    return std::nullopt;
}

} // namespace

void fuseGatedActivations(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const auto activation = graph.isAlive(id) ? gated(graph.op(id)) : std::nullopt;
        const OperatorId product = activation ? graph.onlyReader(id) : OperatorId{};
        if (!product.isValid() || graph.isKeptApart(id) || graph.isKeptApart(product))
            continue;
        const Operator &mul = graph.op(product);
        const TensorId input = graph.onlyInput(id);
        const TensorId output = graph.op(id).outputs.front();
        if (mul.kind != OperatorKind::Elementwise || mul.type != "Mul" || mul.inputs.size() != 2 || !input.isValid())
            continue;
        const bool matches = (mul.inputs[0].front() == input && mul.inputs[1].front() == output) ||
                             (mul.inputs[1].front() == input && mul.inputs[0].front() == output);
        if (!matches)
            continue;
        Operator &unit = graph.op(product);
        unit.kind = OperatorKind::Activation;
        unit.attributes = *activation;
        unit.type = std::string(toString(activation->kind));
        graph.setInputs(product, {{input}});
        graph.remove(id, product);
    }
}

} // namespace stagecraft
