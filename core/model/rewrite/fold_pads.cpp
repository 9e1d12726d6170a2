// A Pad with zeros around an image that only one convolution reads becomes padding of that convolution.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <array>
#include <optional>

namespace stagecraft {
namespace {

// Top, left, bottom, right; empty if the operator pads in another way.
std::optional<std::array<std::int64_t, 4>> zerosAround(const GraphEdit &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const auto *attributes = std::get_if<GenericAttributes>(&op.attributes);
    const Parameter *pads = op.parameter(role::operand(1));
    const Parameter *value = op.parameter(role::operand(2));
    const bool plain = attributes && std::ranges::all_of(attributes->values, [](const auto &entry) {
                           return entry.first == "mode" && toString(entry.second) == "constant";
                       });
    if (op.kind != OperatorKind::Pad || !plain || !pads || op.parameter(role::operand(3)) ||
        pads->shape.elements() != 8 || !graph.onlyInput(id).isValid())
        return std::nullopt;
    if (value && (value->shape.elements() != 1 || parameterValues(*value)->front() != 0.0F))
        return std::nullopt;
    const std::vector<std::int64_t> amounts = integersOf(*typedValues(*pads));
    const auto isNegative = [](std::int64_t amount) { return amount < 0; };
    if (amounts[0] != 0 || amounts[1] != 0 || amounts[4] != 0 || amounts[5] != 0 ||
        std::ranges::any_of(amounts, isNegative))
        return std::nullopt;
    return std::array{amounts[2], amounts[3], amounts[6], amounts[7]};
}

} // namespace

void foldPads(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId pad = OperatorId::fromIndex(i);
        const auto amounts = graph.isAlive(pad) ? zerosAround(graph, pad) : std::nullopt;
        const OperatorId reader = amounts ? graph.onlyReader(pad) : OperatorId{};
        if (!reader.isValid() || graph.isKeptApart(pad) || graph.isKeptApart(reader))
            continue;
        ConvAttributes *conv = graph.op(reader).conv();
        if (!conv || !graph.onlyInput(reader).isValid())
            continue;
        for (std::size_t side = 0; side < 4; ++side)
            conv->window.padding[side] += (*amounts)[side];
        graph.setInputs(reader, {{graph.onlyInput(pad)}});
        graph.remove(pad, reader);
    }
}

} // namespace stagecraft
