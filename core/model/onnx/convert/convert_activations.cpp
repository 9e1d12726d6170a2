#include "model/onnx/convert/convert_rules.h"

#include "operators/parameter_roles.h"

#include <onnx/onnx_pb.h>

namespace stagecraft::convert_rules {

Converted convertActivation(const OnnxNode &node)
{
    const ActivationSchema &schema = activationSchema(activationOfNode(node.type));
    const bool otherForm = schema.kind == ActivationKind::Other
                               ? node.proto->attribute_size() > 0
                               : node.type == "Gelu" && node.text("approximate") != "none";
    if (!node.isTensor(0) || otherForm)
        return std::nullopt;
    const Activation activation{schema.kind, schema.alpha ? node.real("alpha") : 0,
                                schema.beta ? node.real("beta") : 0};
    Operator op = reading(node, OperatorKind::Activation, activation);
    op.type = node.type;
    return op;
}

Converted convertPRelu(const OnnxNode &node)
{
    const Constant *slope = node.constant(1);
    if (!node.isTensor(0) || !slope || !node.shape(0).known)
        return std::nullopt;
    const std::int64_t channels = node.shape(0).channels();
    const auto count = static_cast<std::int64_t>(slope->size());
    // One slope per channel: only the channel dimension may differ from 1 (or there is a single value).
    const std::size_t rank = node.shape(0).dims.size();
    const std::size_t place = rank - slope->dims.size();
    const bool byOldRule = node.opset < 7 && slope->dims.size() == 1;
    const bool perChannel =
        byOldRule || (rank >= 2 && slope->dims.size() <= rank && place <= 1 && slope->dims[1 - place] == channels);
    if (count != 1 && (count != channels || !perChannel))
        return std::nullopt;
    std::vector<float> values = *slope->asFloats();
    values.resize(static_cast<std::size_t>(channels), values.front());
    Operator op = reading(node, OperatorKind::Activation, Activation{ActivationKind::PRelu, 0, 0});
    op.type = node.type;
    op.parameters = {parameterOf(node, role::kSlope, Shape{{channels}}, shared(std::move(values)))};
    return op;
}

Converted convertClip(const OnnxNode &node)
{
    const auto bound = [&](std::string_view key, std::size_t input) -> std::optional<float> {
        if (node.has(input)) {
            const Constant *constant = node.constant(input);
            return constant && constant->size() == 1 ? std::optional(constant->asFloats()->front()) : std::nullopt;
        }
        return node.real(key);
    };
    const auto low = bound("min", 1);
    const auto high = bound("max", 2);
    if (!readsRealNumbers(node) || low != 0.0F || !high || (*high != 6.0F && *high < 1e30F))
        return std::nullopt;
    Operator op = reading(node, OperatorKind::Activation,
                          Activation{*high == 6.0F ? ActivationKind::Relu6 : ActivationKind::Relu, 0, 0});
    op.type = *high == 6.0F ? "Relu6" : "Relu";
    return op;
}

} // namespace stagecraft::convert_rules
