// Relu-DepthwiseConv-PointwiseConv becomes one unit. A Relu that several such pairs read, as exporters write NASNet,
// becomes part of each, unless a convolution before it can absorb it at less cost.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/parameter_roles.h"

#include <algorithm>
#include <optional>

namespace stagecraft {
namespace {

bool isRelu(const GraphEdit &graph, OperatorId id)
{
    const Activation *activation = graph.op(id).activation();
    return activation && activation->kind == ActivationKind::Relu;
}

bool isPlain(const ConvAttributes &conv)
{
    return conv.before.kind == ActivationKind::None && conv.after.kind == ActivationKind::None;
}

// The pointwise convolution after the depthwise one `id`; invalid if there is none.
OperatorId pointwiseBehind(const GraphEdit &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const ConvAttributes *depthwise = op.conv();
    if (!depthwise || !isPlain(*depthwise) || graph.isKeptApart(id))
        return {};
    const std::int64_t channels =
        graph.onlyInput(id).isValid() ? graph.tensor(graph.onlyInput(id)).shape.channels() : 0;
    if (depthwise->groups < 2 || depthwise->groups != channels || depthwise->outChannels != channels)
        return {};
    const OperatorId next = graph.onlyReader(id);
    const ConvAttributes *pointwise = next.isValid() ? graph.op(next).conv() : nullptr;
    if (!pointwise || graph.isKeptApart(next) || pointwise->groups != 1 || pointwise->window != Window{} ||
        !isPlain(*pointwise) || !graph.onlyInput(next).isValid())
        return {};
    return next;
}

bool canTakeRelu(const GraphEdit &graph, OperatorId reader)
{
    const ConvAttributes *conv = graph.op(reader).conv();
    return conv && conv->before.kind == ActivationKind::None && !graph.isKeptApart(reader);
}

void takeParameters(Operator &unit, const Operator &depthwise)
{
    for (Parameter &parameter : unit.parameters)
        parameter.role = std::string(parameter.role == role::kWeight ? role::kPointwiseWeight : role::kPointwiseBias);
    for (Parameter parameter : depthwise.parameters) {
        parameter.role = std::string(parameter.role == role::kWeight ? role::kDepthwiseWeight : role::kDepthwiseBias);
        unit.parameters.push_back(std::move(parameter));
    }
    // In the order of graph/parameter_roles.h.
    std::stable_partition(unit.parameters.begin(), unit.parameters.end(),
                          [](const Parameter &p) { return p.role.starts_with("depthwise"); });
}

void formSepConv(GraphEdit &graph, OperatorId depthwise, OperatorId pointwise, TensorId input, const Activation &before)
{
    const Operator first = graph.op(depthwise);
    Operator &unit = graph.op(pointwise);
    unit.attributes = SepConvAttributes{unit.conv()->outChannels, first.conv()->window, before, {}, {}};
    unit.kind = OperatorKind::SepConv;
    takeParameters(unit, first);
    graph.setInputs(pointwise, {{input}});
    graph.remove(depthwise, pointwise);
}

} // namespace

void formSepConvs(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId relu = OperatorId::fromIndex(i);
        const TensorId input = graph.isAlive(relu) && isRelu(graph, relu) ? graph.onlyInput(relu) : TensorId{};
        if (!input.isValid() || graph.isKeptApart(relu) || graph.isOutput(graph.op(relu).outputs.front()))
            continue;
        const auto found = graph.readers(graph.op(relu).outputs.front());
        const std::vector<OperatorId> readers(found.begin(), found.end()); // forming units changes the list
        const auto formsUnit = [&](OperatorId reader) { return pointwiseBehind(graph, reader).isValid(); };
        const auto takes = [&](OperatorId reader) { return canTakeRelu(graph, reader); };
        if (std::ranges::none_of(readers, formsUnit) || !std::ranges::all_of(readers, takes))
            continue;
        const OperatorId before = graph.producer(input);
        const bool producerTakesIt = before.isValid() && graph.op(before).conv() && graph.onlyReader(before) == relu &&
                                     !graph.isKeptApart(before);
        if (readers.size() > 1 && producerTakesIt)
            continue;
        const Activation activation = std::get<Activation>(graph.op(relu).attributes);
        OperatorId last;
        for (const OperatorId reader : readers) {
            const OperatorId pointwise = pointwiseBehind(graph, reader);
            last = pointwise.isValid() ? pointwise : reader;
            if (pointwise.isValid()) {
                formSepConv(graph, reader, pointwise, input, activation);
            } else {
                ConvAttributes conv = *graph.op(reader).conv();
                conv.before = activation;
                graph.op(reader).attributes = conv;
                graph.setInputs(reader, {{input}});
            }
        }
        graph.remove(relu, last);
    }
}

} // namespace stagecraft
