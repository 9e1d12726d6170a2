#include "model/onnx/convert/convert.h"

#include "model/onnx/convert/convert_rules.h"
#include "model/onnx/read/canonical_form.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <set>
#include <unordered_map>

namespace stagecraft {
namespace convert_rules {

Parameter parameterOf(const OnnxNode &node, std::string_view role, Shape shape, SharedValues values, DataType type)
{
    return {std::string(role), node.name + "." + std::string(role), std::move(shape), type, std::move(values)};
}

Parameter parameterOf(const OnnxNode &node, std::string_view role, const Constant &constant)
{
    Parameter parameter = parameterOf(node, role, Shape{constant.dims}, constant.values, constant.type);
    parameter.storedType = constant.storedType;
    return parameter;
}

bool readsRealNumbers(const OnnxNode &node)
{
    return node.isTensor(0) && (node.inputs[0]->type == DataType::Float32 || node.inputs[0]->type == DataType::Float16);
}

Operator reading(const OnnxNode &node, OperatorKind kind, Attributes attributes)
{
    Operator op;
    op.kind = kind;
    op.attributes = std::move(attributes);
    op.inputs = {{node.inputs[0]->tensor}};
    return op;
}

} // namespace convert_rules

namespace {

using namespace convert_rules;

// Operands unchanged: tensors as parts of their own, constants as parameters in their places.
Operator passThrough(const OnnxNode &node, OperatorKind kind)
{
    Operator op;
    op.kind = kind;
    op.type = node.type;
    GenericAttributes attributes{node.attributes};
    bool isAnyEmpty = false;
    bool isLeftOut = false; // an operand before a tensor
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        isAnyEmpty = isAnyEmpty || !node.has(i);
        if (node.isTensor(i)) {
            op.inputs.push_back({node.inputs[i]->tensor});
            attributes.inputPlaces.push_back(static_cast<std::int64_t>(i));
            isLeftOut = isLeftOut || isAnyEmpty;
        } else if (node.has(i)) {
            op.parameters.push_back(parameterOf(node, role::operand(i), *node.constant(i)));
        }
    }
    if (!isLeftOut)
        attributes.inputPlaces.clear();
    op.attributes = std::move(attributes);
    return op;
}

// Units are of real numbers; others are kept as in the file.
bool readsUnitNumbers(const OnnxNode &node)
{
    return std::ranges::all_of(node.inputs, [](const auto &input) {
        const DataType type = input ? input->type : DataType::Float32;
        const bool isReal = type == DataType::Float32 || type == DataType::Float16 || type == DataType::BFloat16;
        return !input || input->constant || (isReal && !input->shape.atMost);
    });
}

using Rule = Converted (*)(const OnnxNode &);

const std::unordered_map<std::string, Rule> &rules()
{
    static const std::unordered_map<std::string, Rule> table{
        {"Conv", convertConv},
        {"ConvTranspose", convertConv},
        {"MaxPool", convertPool},
        {"AveragePool", convertPool},
        {"GlobalMaxPool", convertPool},
        {"GlobalAveragePool", convertPool},
        {"BatchNormalization", convertBatchNorm},
        {"MatMul", convertMatMul},
        {"Gemm", convertGemm},
        {"Add", convertSum},
        {"Sum", convertSum},
        {"Concat", convertConcat},
        {"Selu", convertActivation},
        {"Celu", convertActivation},
        {"Softplus", convertActivation},
        {"Softsign", convertActivation},
        {"ThresholdedRelu", convertActivation},
        {"PRelu", convertPRelu},
        {"Clip", convertClip},
        {"ReduceMean", convertReduceMean},
    };
    return table;
}

// Null: the node is kept as in the file.
Rule ruleFor(const OnnxNode &node)
{
    const auto rule = rules().find(node.type);
    if (rule != rules().end())
        return rule->second;
    return activationOfNode(node.type) != ActivationKind::Other ? convertActivation : nullptr;
}

// Broadcast attributes from before opset 7 may be unknown here: what could be converted is gone, and the rest is found
// later.
std::optional<std::string> unknownAttributeOf(const OnnxNode &node)
{
    static const std::set<std::string> old{"axis", "broadcast", "consumed_inputs"};
    for (const auto &attribute : node.proto->attribute()) { // in the order of the file
        const bool isOld = node.opset < 7 && old.contains(attribute.name());
        if (isOld)
            continue;
        if (auto unknown = unknownAttribute(node.type, attribute.name(), find(node.attributes, attribute.name())))
            return unknown;
    }
    return std::nullopt;
}

} // namespace

Result<ConvertedNode> convertNode(const OnnxNode &node)
{
    if (const auto unknown = unknownAttributeOf(node))
        return ConvertedNode{passThrough(node, OperatorKind::Unknown),
                             "the program does not know its attribute " + *unknown +
                                 "; it is kept as it is, with the shape and cost that it has without"};
    const OperatorSchema *schema = schemaOf(node.type);
    const Rule rule = ruleFor(node);
    if (rule && readsUnitNumbers(node)) {
        if (auto converted = rule(node)) {
            if (!*converted)
                return tl::unexpected(std::move(converted->error()));
            Operator op = std::move(**converted);
            if (op.type.empty())
                op.type = displayType(op);
            return ConvertedNode{std::move(op), {}};
        }
    }
    const bool hasKind = schema && schema->kind != OperatorKind::Unknown;
    if (hasKind) {
        Operator op = passThrough(node, schema->kind);
        if (makeCanonical(node, op))
            return ConvertedNode{std::move(op), {}};
    }
    Operator kept = passThrough(node, OperatorKind::Unknown);
    std::get<GenericAttributes>(kept.attributes).opset = node.opset;
    const bool special = hasKind || rule != nullptr || node.type == "Dropout";
    std::string remark;
    if (special)
        remark = "this form of " + node.type + " is kept as it is in the file";
    else if (const std::string reason = opaqueReason(kept); !reason.empty())
        remark = reason + "; it is kept and scheduled as it is";
    return ConvertedNode{std::move(kept), std::move(remark)};
}

std::vector<std::string> knownNodeTypes()
{
    std::vector<std::string> types;
    for (const OperatorSchema &schema : operatorSchemas()) {
        if (schema.shapes && !schema.hasSubgraphs)
            types.emplace_back(schema.type);
    }
    return types;
}

bool isInTraining(const OnnxNode &node)
{
    if (node.type == "Dropout" && node.opset < 12)
        return node.opset < 7 && node.integer("is_test") == 0;
    const Constant *ratio = node.type == "Dropout" ? node.constant(1) : nullptr;
    if (ratio && ratio->size() == 1 && ratio->asFloats()->front() == 0)
        return false;
    if (node.type == "Dropout")
        return node.constant(2) && node.constant(2)->asInts() == std::vector<std::int64_t>{1};
    if (node.type != "BatchNormalization")
        return false;
    return node.opset < 14 ? node.proto->output_size() > 1 : node.integer("training_mode") != 0;
}

std::optional<std::size_t> passedInput(const OnnxNode &node)
{
    if (!node.has(0) || unknownAttributeOf(node))
        return std::nullopt;
    const std::string_view type = node.type;
    if (type == "Identity" || (type == "Dropout" && node.outputs.size() < 2))
        return 0;
    if ((type == "Sum" || type == "Concat" || type == "Max" || type == "Min" || type == "Mean") &&
        node.inputs.size() == 1)
        return 0;
    if (type != "Cast")
        return std::nullopt;
    const DataType from = node.inputs[0]->type;
    const DataType to = dataTypeOf(static_cast<int>(node.integer("to")));
    const bool widens = node.constant(0) && isNarrowFloat(from) && to == DataType::Float32; // values stay as they are
    return widens || (from == to && from != DataType::Other) ? std::optional<std::size_t>(0) : std::nullopt;
}

} // namespace stagecraft
