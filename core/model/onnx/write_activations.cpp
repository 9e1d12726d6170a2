#include "model/onnx/write_rules.h"

#include "graph/parameter_roles.h"
#include "graph/parameter_values.h"
#include "model/onnx/graph_reader.h"

#include <cmath>
#include <onnx/onnx_pb.h>

namespace stagecraft::write_rules {
namespace {

// x / 2 * (1 + erf(x / sqrt(2))): opset 17 has no Gelu.
void writeGelu(NodeSteps &nodes, const std::string &from, const std::string &name, const std::string &to)
{
    const std::string root = nodes.weight("sqrt_half", Shape{}, {std::sqrt(0.5F)});
    const std::string unit = nodes.weight("one", Shape{}, {1.0F});
    const std::string half = nodes.weight("half", Shape{}, {0.5F});
    const std::string erf = nodes.step("Erf", "erf", {nodes.step("Mul", "scaled", {from, root})});
    const std::string gate = nodes.step("Mul", "gate", {nodes.step("Add", "shifted", {erf, unit}), half});
    nodes.node("Mul", name, {from, gate}, {to});
}

// One slope per channel, shaped so that it stretches over an image.
std::string slope(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    Parameter parameter = *op.parameter(role::kSlope);
    parameter.values = parameterValues(parameter);
    const std::size_t rank = nodes.shape(op.outputs.front()).dims.size();
    for (std::size_t i = 2; i < rank; ++i)
        parameter.shape.dims.push_back(1);
    return nodes.weight(std::move(parameter));
}

} // namespace

void writeActivationUnit(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    const auto &activation = std::get<Activation>(op.attributes);
    const std::string from = nodes.input();
    if (activation.kind == ActivationKind::Other)
        nodes.node(op.type, op.name, {from}, {nodes.output()});
    else
        writeActivation(nodes, activation, from, op.name, nodes.output());
    nodes.lastNode().set_doc_string(kUnitMark);
}

std::string activated(NodeSteps &nodes, const Activation &activation, const std::string &from,
                      const std::string &suffix)
{
    if (activation.kind == ActivationKind::None)
        return from;
    const std::string name = nodes.fresh(nodes.op().name + "/" + suffix);
    writeActivation(nodes, activation, from, name, name);
    return name;
}

void writeActivation(NodeSteps &nodes, const Activation &activation, const std::string &from, const std::string &name,
                     const std::string &to)
{
    switch (activation.kind) {
    case ActivationKind::Relu6: {
        const std::string low = nodes.weight("min", Shape{}, {0.0F});
        const std::string high = nodes.weight("max", Shape{}, {6.0F});
        nodes.node("Clip", name, {from, low, high}, {to});
        return;
    }
    case ActivationKind::LeakyRelu:
    case ActivationKind::Elu:
        setFloat(nodes.node(toString(activation.kind).data(), name, {from}, {to}), "alpha", activation.alpha);
        return;
    case ActivationKind::HardSigmoid: {
        onnx::NodeProto &added = nodes.node("HardSigmoid", name, {from}, {to});
        setFloat(added, "alpha", activation.alpha);
        setFloat(added, "beta", activation.beta);
        return;
    }
    case ActivationKind::Silu: nodes.node("Mul", name, {from, nodes.step("Sigmoid", "sigmoid", {from})}, {to}); return;
    case ActivationKind::Gelu: writeGelu(nodes, from, name, to); return;
    case ActivationKind::PRelu: nodes.node("PRelu", name, {from, slope(nodes)}, {to}); return;
    default: nodes.node(toString(activation.kind).data(), name, {from}, {to}); return;
    }
}

} // namespace stagecraft::write_rules
