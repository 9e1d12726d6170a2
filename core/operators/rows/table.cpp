#include "operators/schema.h"

#include "operators/composed/composed.h"
#include "operators/composed/subgraph.h"
#include "operators/folding/size_bounds.h"
#include "operators/rows/schema_rows.h"
#include "operators/shapes/shape_rules.h"
#include "operators/shapes/unit_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

namespace stagecraft {
namespace {

using Kind = OperatorKind;
using Family = OperatorFamily;
using Fusion = FusionClass;
namespace rule = unit_rules;

constexpr bool kExpression = true;
constexpr bool kApart = false;

// Kinds without a shape have that of their type in the model file.
constexpr std::array kKinds{
    KindSchema{Kind::Conv, "Conv", Family::Convolution, kExpression, Fusion::Complex, rule::convShape, rule::convFlops},
    KindSchema{Kind::SepConv, "SepConv", Family::SeparableConvolution, kExpression, Fusion::Complex, rule::sepConvShape,
               rule::sepConvFlops},
    KindSchema{Kind::Pool, "Pool", Family::Pooling, kExpression, Fusion::Reduction, rule::poolShape, rule::poolFlops},
    KindSchema{Kind::Activation, "Activation", Family::Elementwise, kExpression, Fusion::Injective, rule::sameShape,
               rule::activationOnlyFlops},
    KindSchema{Kind::Join, "Join", Family::Join, kExpression, Fusion::Injective, rule::sameShape, rule::noFlops},
    KindSchema{Kind::BatchNorm, "BatchNorm", Family::Elementwise, kExpression, Fusion::Injective, rule::sameShape,
               rule::elementFlops},
    KindSchema{Kind::Gemm, "Gemm", Family::Product, kApart, Fusion::Complex, rule::gemmShape, rule::gemmFlops},
    KindSchema{Kind::Softmax, "Softmax", Family::Elementwise, kExpression, Fusion::Opaque, rule::sameShape,
               rule::elementFlops},
    KindSchema{Kind::Elementwise, "Elementwise", Family::Other, kApart, Fusion::Injective},
    KindSchema{Kind::Reshape, "Reshape", Family::Other, kApart, Fusion::Injective, nullptr, rule::noFlops},
    KindSchema{Kind::Transpose, "Transpose", Family::Other, kApart, Fusion::Injective, nullptr, rule::noFlops},
    KindSchema{Kind::Slice, "Slice", Family::Other, kApart, Fusion::Injective, nullptr, rule::noFlops},
    KindSchema{Kind::Split, "Split", Family::Other, kApart, Fusion::Injective, nullptr, rule::noFlops},
    KindSchema{Kind::Pad, "Pad", Family::Other, kApart, Fusion::Injective, nullptr, rule::noFlops},
    KindSchema{Kind::Resize, "Resize", Family::Other, kApart, Fusion::Injective},
    KindSchema{Kind::Reduce, "Reduce", Family::Other, kApart, Fusion::Reduction, nullptr, rule::inputFlops},
    KindSchema{Kind::Normalize, "Normalize", Family::Elementwise, kApart, Fusion::Opaque},
    KindSchema{Kind::ConvTranspose, "ConvTranspose", Family::Convolution, kApart, Fusion::Complex, nullptr,
               rule::convTransposeFlops},
    KindSchema{Kind::Unknown, "Unknown", Family::Other, kApart, Fusion::Opaque},
    KindSchema{Kind::Fused, "Fused", Family::Other, kApart, Fusion::Opaque},
};

std::vector<OperatorSchema> allRows()
{
    std::vector<OperatorSchema> rows;
    for (auto part : {schema_rows::elementRows(), schema_rows::movementRows(), schema_rows::layerRows(),
                      schema_rows::furtherRows(), schema_rows::composedRows()})
        std::ranges::move(part, std::back_inserter(rows));
    std::ranges::sort(rows, {}, &OperatorSchema::type);
    return rows;
}

// Rules of kinds with attributes of their own need those.
bool hasAttributesOfKind(const Operator &op)
{
    const bool isGeneric = std::holds_alternative<GenericAttributes>(op.attributes);
    switch (op.kind) {
    case Kind::Conv: return op.conv() != nullptr;
    case Kind::ConvTranspose: return op.convTranspose() != nullptr;
    case Kind::SepConv: return op.sepConv() != nullptr;
    case Kind::Pool: return op.pool() != nullptr;
    case Kind::Gemm: return op.gemm() != nullptr;
    default: return isGeneric || op.kind == Kind::Activation;
    }
}

const AttributeSchema *attributeOf(std::string_view type, std::string_view attribute)
{
    const OperatorSchema *schema = schemaOf(type);
    if (!schema)
        return nullptr;
    const auto found = std::ranges::find(schema->attributes, attribute, &AttributeSchema::name);
    return found == schema->attributes.end() ? nullptr : &*found;
}

template <typename... Types>
bool isOneOf(const AttributeValue &value)
{
    return (std::holds_alternative<Types>(value) || ...);
}

// Whether the attribute may have this value. One without a default may be of any type.
bool mayBe(const AttributeSchema &schema, const AttributeValue &value)
{
    if (!schema.fallback)
        return true;
    if (isOneOf<std::int64_t, float>(*schema.fallback))
        return isOneOf<std::int64_t, float>(value);
    if (!isOneOf<std::string>(*schema.fallback))
        return isOneOf<std::int64_t, float, std::vector<std::int64_t>, std::vector<float>>(value);
    const auto *text = std::get_if<std::string>(&value);
    return text && (schema.values.empty() || std::ranges::find(schema.values, *text) != schema.values.end());
}

// Whether an operand that has to be constant is not.
bool lacksConstant(const NodeFacts &node, const OperatorSchema &schema)
{
    for (std::size_t i = 0; i < schema.operands.size(); ++i) {
        const OperandSchema &operand = schema.operands[i];
        const bool isMissing = operand.need == OperandSchema::Need::Always && !node.has(i);
        if (operand.constant && (isMissing || node.isTensor(i)))
            return true;
    }
    return false;
}

bool allKnown(const NodeFacts &node)
{
    return std::ranges::all_of(node.inputs, [](const auto &input) { return !input || input->shape.known; });
}

// Of a node whose sizes are computed.
Result<std::optional<std::vector<Shape>>> largestShapes(const NodeFacts &node)
{
    const auto largest = atItsLargest(node);
    auto shapes = largest ? inferShapes(*largest) : Result<std::optional<std::vector<Shape>>>(std::nullopt);
    if (!shapes || !*shapes)
        return shape_rules::unknown(node.outputCount);
    for (Shape &shape : **shapes)
        shape.atMost = shape.known;
    return shapes;
}

tl::unexpected<Error> noRule(const Operator &op)
{
    return fail(ErrorCode::InvalidInput, "the program has no shape rule for " + displayType(op));
}

std::string decorated(std::string core, const Activation &before, const Activation &after)
{
    if (before.kind != ActivationKind::None)
        core.insert(0, std::string(toString(before.kind)) + "-");
    if (after.kind != ActivationKind::None)
        core += "-" + std::string(toString(after.kind));
    return core;
}

std::string convType(const ConvAttributes &conv)
{
    const bool depthwise = conv.groups > 1 && conv.groups == conv.outChannels;
    const char *core = depthwise ? "DepthwiseConv" : conv.groups > 1 ? "GroupConv" : "Conv";
    return decorated(core, conv.before, conv.after);
}

std::string poolType(const PoolAttributes &pool)
{
    const std::string mode = pool.mode == PoolAttributes::Mode::Max ? "Max" : "Average";
    return (pool.global ? "Global" : "") + mode + "Pool";
}

std::string joinType(const InputExpression &inputs)
{
    const bool adds = std::ranges::any_of(inputs, [](const auto &part) { return part.size() > 1; });
    if (inputs.size() > 1)
        return adds ? "Add-Concat" : "Concat";
    return adds ? "Add" : "Identity";
}

} // namespace

std::string_view toString(FusionClass fusion)
{
    switch (fusion) {
    case Fusion::Injective: return "injective";
    case Fusion::Reduction: return "reduction";
    case Fusion::Complex: return "complex with fusable output";
    case Fusion::Opaque: return "opaque";
    }
    return "";
}

std::span<const OperatorSchema> operatorSchemas()
{
    static const std::vector<OperatorSchema> rows = allRows();
    return rows;
}

const OperatorSchema *schemaOf(std::string_view type)
{
    static const auto byType = [] {
        std::unordered_map<std::string_view, const OperatorSchema *> map;
        for (const OperatorSchema &schema : operatorSchemas())
            map.emplace(schema.type, &schema);
        return map;
    }();
    // Of a node of a file it is asked several times in turn.
    thread_local const OperatorSchema *last = nullptr;
    if (last && last->type == type)
        return last;
    const auto found = byType.find(type);
    if (found == byType.end())
        return nullptr;
    last = found->second;
    return last;
}

const AttributeValue *attributeDefault(std::string_view type, std::string_view attribute)
{
    const AttributeSchema *schema = attributeOf(type, attribute);
    return schema && schema->fallback ? &*schema->fallback : nullptr;
}

bool isKnownAttribute(std::string_view type, std::string_view attribute)
{
    const OperatorSchema *schema = schemaOf(type);
    return !schema || !schema->listsAttributes || attributeOf(type, attribute);
}

std::optional<std::string> unknownAttribute(std::string_view type, const std::string &name, const AttributeValue *value)
{
    if (!isKnownAttribute(type, name))
        return name;
    const AttributeSchema *schema = value ? attributeOf(type, name) : nullptr;
    if (!schema || mayBe(*schema, *value))
        return std::nullopt;
    constexpr std::size_t kShown = 40;
    const std::string text = toString(*value);
    return name + "=" + (text.size() > kShown ? text.substr(0, kShown) + "..." : text);
}

std::optional<std::string> unknownAttribute(const NodeFacts &node)
{
    for (const auto &[name, value] : node.attributes) {
        if (auto unknown = unknownAttribute(node.type, name, &value))
            return unknown;
    }
    return std::nullopt;
}

std::optional<std::string> unknownAttribute(const Operator &op)
{
    NodeFacts node;
    node.type = op.type;
    if (const auto *generic = std::get_if<GenericAttributes>(&op.attributes))
        node.attributes = generic->values;
    return unknownAttribute(node);
}

const KindSchema &kindSchema(OperatorKind kind)
{
    return *std::ranges::find(kKinds, kind, &KindSchema::kind);
}

FusionClass fusionClass(const Operator &op)
{
    const OperatorSchema *schema = schemaOf(op.type);
    const KindSchema &kind = kindSchema(op.kind);
    return kind.shape || !schema ? kind.fusion : schema->fusion;
}

std::string displayType(const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv: return op.conv() ? convType(*op.conv()) : "Conv";
    case OperatorKind::SepConv: {
        const SepConvAttributes *sep = op.sepConv();
        return sep ? decorated("SepConv", sep->before, sep->after) : "SepConv";
    }
    case OperatorKind::Pool: return op.pool() ? poolType(*op.pool()) : "Pool";
    case OperatorKind::Activation: {
        const Activation *activation = op.activation();
        return activation && activation->kind != ActivationKind::Other ? std::string(toString(activation->kind))
                                                                       : op.type;
    }
    case OperatorKind::Join: return joinType(op.inputs);
    case OperatorKind::Gemm: return op.gemm() ? decorated("Gemm", {}, op.gemm()->after) : "Gemm";
    default: return op.type.empty() ? std::string(kindSchema(op.kind).name) : op.type;
    }
}

Result<std::vector<Shape>> inferShapes(const Operator &op, std::span<const Shape> operandShapes)
{
    const KindSchema &kind = kindSchema(op.kind);
    if (operandShapes.empty())
        return fail(ErrorCode::InvalidInput, "it has no input");
    if (kind.shape && hasAttributesOfKind(op)) {
        auto input =
            kind.expressionInput ? expressionShape(op.inputs, operandShapes) : Result<Shape>(operandShapes.front());
        if (input && input->known)
            input = kind.shape(op, *input);
        TRY(input);
        return std::vector<Shape>{std::move(*input)};
    }
    TRY_AS(auto shapes, inferShapes(nodeFacts(op, operandShapes)));
    if (!shapes)
        return noRule(op);
    const auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    if (!generic || generic->outputPlaces.empty())
        return std::move(*shapes);
    std::vector<Shape> placed;
    for (const std::int64_t place : generic->outputPlaces)
        placed.push_back((*shapes)[static_cast<std::size_t>(place)]);
    return placed;
}

Result<std::optional<std::vector<Shape>>> inferShapes(const NodeFacts &node)
{
    const OperatorSchema *schema = schemaOf(node.type);
    if (!schema || !schema->shapes)
        return std::nullopt;
    if (!node.has(0) || !allKnown(node))
        return shape_rules::unknown(node.outputCount);
    if (hasComputedSizes(node))
        return largestShapes(node);
    if (lacksConstant(node, *schema))
        return shape_rules::unknown(node.outputCount);
    const auto isVarying = [](const auto &input) { return input && input->shape.atMost; };
    const bool readsVarying = std::ranges::any_of(node.inputs, isVarying);
    auto shapes = schema->shapes(node);
    if (!shapes && readsVarying) // the largest sizes do not fit each other, which says nothing of the actual ones
        return shape_rules::unknown(node.outputCount);
    TRY(shapes);
    for (const Shape &shape : *shapes) {
        if (shape.known && !elementCount(shape.dims))
            return shape_rules::refuse("its output shape " + toString(shape) + " is absurd");
    }
    shapes->resize(node.outputCount, Shape{{}, false});
    const bool isOfShape = node.type == "Shape" || node.type == "Size"; // whose rank is known all the same
    const bool varies = schema->sizesAreBounds || (!isOfShape && readsVarying);
    for (Shape &shape : *shapes)
        shape.atMost = shape.known && (varies || shape.atMost);
    return std::move(*shapes);
}

Result<Shape> inferShape(const Operator &op, std::span<const Shape> operandShapes)
{
    TRY_AS(auto shapes, inferShapes(op, operandShapes));
    return std::move(shapes.front());
}

DataType resultType(const NodeFacts &node, std::size_t output)
{
    const OperatorSchema *schema = schemaOf(node.type);
    const ResultType result = schema ? schema->result : ResultType::LikeFirst;
    const auto like = [&](std::size_t i, DataType other) { return node.has(i) ? node.inputs[i]->type : other; };
    if (output == 1 && node.type == "Dropout")
        return DataType::Bool;
    if (output > 0 && (node.type == "TopK" || node.type == "MaxPool" || node.type == "Unique"))
        return DataType::Int64; // places
    if (node.type == "DynamicQuantizeLinear")
        return output == 1 ? DataType::Float32 : DataType::UInt8;
    if (node.type == "QuantizeLinear" || node.type == "DequantizeLinear") {
        const auto asked = static_cast<int>(node.integer("output_dtype"));
        if (asked != 0 && !(node.type == "QuantizeLinear" && node.has(2)))
            return dataTypeOf(asked);
    }
    switch (result) {
    case ResultType::Truth: return DataType::Bool;
    case ResultType::Integer: return DataType::Int64;
    case ResultType::Int32: return DataType::Int32;
    case ResultType::LikeSecond: return like(1, DataType::Float32);
    case ResultType::LikeThird: return like(2, DataType::UInt8);
    case ResultType::LikeFifth: return like(4, like(0, DataType::UInt8));
    case ResultType::LikeEighth: return like(7, like(0, DataType::UInt8));
    case ResultType::MaybeAsked:
        for (const char *asked : {"dtype", "output_datatype"}) {
            if (isKnownAttribute(node.type, asked) && node.integer(asked) != 0)
                return dataTypeOf(static_cast<int>(node.integer(asked)));
        }
        return like(0, DataType::Float32);
    case ResultType::Composed: return composed::resultType(node, output);
    case ResultType::Branch: return subgraph::resultType(node, output);
    case ResultType::Asked: return dataTypeOf(static_cast<int>(node.integer("to")));
    default: return like(0, DataType::Float32);
    }
}

double flopsOf(const Operator &op, const Shape &input, const Shape &output)
{
    const KindSchema &kind = kindSchema(op.kind);
    return kind.flops && hasAttributesOfKind(op) ? kind.flops(op, input, output)
                                                 : unit_rules::elementFlops(op, input, output);
}

bool hasArithmetic(const Operator &op)
{
    if (op.kind != OperatorKind::Unknown)
        return true;
    const OperatorSchema *schema = schemaOf(op.type);
    return schema && schema->cost != Cost::None && subgraph::missing(op).empty() && composed::unknownForm(op).empty();
}

std::optional<double> multiplyAddsOf(const Operator &op, std::span<const Shape> operandShapes, const Shape &output)
{
    const OperatorSchema *schema = op.kind == OperatorKind::Unknown ? schemaOf(op.type) : nullptr;
    if (!schema || !schema->multiplyAdds || !output.known)
        return std::nullopt;
    const NodeFacts node = nodeFacts(op, operandShapes);
    const bool hasFirst = node.has(0); // files of the first opsets may lack any
    return hasFirst && allKnown(node) ? std::optional(schema->multiplyAdds(node, output)) : std::nullopt;
}

} // namespace stagecraft
