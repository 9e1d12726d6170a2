#include "model/onnx/write/write_rules.h"

#include "model/onnx/unit_mark.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <cmath>
#include <onnx/onnx_pb.h>

namespace stagecraft::write_rules {
namespace {

struct Step {
    std::string from;
    std::string name;
    std::string to;
};

// x / 2 * (1 + erf(x / sqrt(2))), if the opset has no Gelu.
void writeGelu(NodeSteps &nodes, const Step &step)
{
    const std::string root = nodes.weight("sqrt_half", Shape{}, shared(std::vector{std::sqrt(0.5F)}));
    const std::string unit = nodes.weight("one", Shape{}, shared(std::vector{1.0F}));
    const std::string half = nodes.weight("half", Shape{}, shared(std::vector{0.5F}));
    const auto byNumber = [&](const char *type, const char *suffix, const std::string &operand,
                              const std::string &number) {
        std::string made = nodes.step(type, suffix, {operand, number});
        setBroadcast(nodes.lastNode(), nodes.form());
        return made;
    };
    const std::string erf = nodes.step("Erf", "erf", {byNumber("Mul", "scaled", step.from, root)});
    const std::string gate = byNumber("Mul", "gate", byNumber("Add", "shifted", erf, unit), half);
    nodes.node("Mul", step.name, {step.from, gate}, {step.to});
}

void writeClip(NodeSteps &nodes, float low, float high, const Step &step)
{
    if (nodes.form().opset < 11) { // bounds were attributes
        onnx::NodeProto &added = nodes.node("Clip", step.name, {step.from}, {step.to});
        setFloat(added, "min", low);
        setFloat(added, "max", high);
        return;
    }
    const std::string min = nodes.weight("min", Shape{}, shared(std::vector{low}));
    const std::string max = nodes.weight("max", Shape{}, shared(std::vector{high}));
    nodes.node("Clip", step.name, {step.from, min, max}, {step.to});
}

// x * max(0, min(1, x / 6 + 1 / 2)), if the opset has no HardSwish.
void writeHardSwish(NodeSteps &nodes, const Step &step)
{
    const std::string gate = nodes.step("HardSigmoid", "gate", {step.from});
    setFloat(nodes.lastNode(), "alpha", 1.0F / 6.0F);
    setFloat(nodes.lastNode(), "beta", 0.5F);
    nodes.node("Mul", step.name, {step.from, gate}, {step.to});
}

// x * tanh(softplus(x)), if the opset has no Mish.
void writeMish(NodeSteps &nodes, const Step &step)
{
    const std::string softplus = nodes.step("Softplus", "softplus", {step.from});
    nodes.node("Mul", step.name, {step.from, nodes.step("Tanh", "gate", {softplus})}, {step.to});
}

// One slope per channel, in a shape that broadcasts over an image.
std::string slope(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    Parameter parameter = *op.parameter(role::kSlope);
    parameter.values = typedValues(parameter);
    const std::size_t rank = nodes.shape(op.outputs.front()).dims.size();
    for (std::size_t i = 2; i < rank && nodes.form().opset >= 7; ++i)
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
    // Reading the file combines a gate and its product again, which a mark on the product would prevent.
    const bool isGated = activation.kind == ActivationKind::Silu ||
                         (activation.kind == ActivationKind::HardSwish && nodes.lastNode().op_type() == "Mul");
    if (!isGated)
        nodes.lastNode().set_doc_string(kUnitMark);
}

std::string activated(NodeSteps &nodes, const Activation &activation, const std::string &from,
                      const std::string &suffix)
{
    if (activation.kind == ActivationKind::None)
        return from;
    std::string name = nodes.fresh(nodes.op().name + "/" + suffix);
    writeActivation(nodes, activation, from, name, name);
    return name;
}

void writeActivation(NodeSteps &nodes, const Activation &activation, const std::string &from, const std::string &name,
                     const std::string &to)
{
    switch (activation.kind) {
    case ActivationKind::Relu6: writeClip(nodes, 0.0F, 6.0F, {from, name, to}); return;
    case ActivationKind::Silu: nodes.node("Mul", name, {from, nodes.step("Sigmoid", "sigmoid", {from})}, {to}); return;
    case ActivationKind::Gelu:
        if (nodes.form().opset < 20)
            return writeGelu(nodes, {from, name, to});
        break;
    case ActivationKind::Mish:
        if (nodes.form().opset < 18)
            return writeMish(nodes, {from, name, to});
        break;
    case ActivationKind::HardSwish:
        if (nodes.form().opset < 14)
            return writeHardSwish(nodes, {from, name, to});
        break;
    case ActivationKind::PRelu: nodes.node("PRelu", name, {from, slope(nodes)}, {to}); return;
    default: break;
    }
    const ActivationSchema &schema = activationSchema(activation.kind);
    onnx::NodeProto &added = nodes.node(schema.name.data(), name, {from}, {to});
    if (schema.alpha)
        setFloat(added, "alpha", activation.alpha);
    if (schema.beta)
        setFloat(added, "beta", activation.beta);
}

} // namespace stagecraft::write_rules
