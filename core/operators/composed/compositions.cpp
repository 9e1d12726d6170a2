// What the composed operators are made of. Source: ONNX Runtime's documentation of its own operators.

#include "operators/composed/composer.h"
#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"

#include <map>
#include <numeric>

namespace stagecraft::composed {
namespace {

using Dims = std::vector<std::int64_t>;

// An activation that may be a part of another operator: a function of single elements, whose attributes are numbers.
// Null for others.
const OperatorSchema *fusedActivation(const std::string &type)
{
    const OperatorSchema *schema = schemaOf(type);
    const auto isNumber = [](const AttributeSchema &attribute) {
        return attribute.fallback && std::holds_alternative<float>(*attribute.fallback);
    };
    const bool isFunction = schema && (schema->kernel == kernels::unary || type == "Clip");
    return isFunction && std::ranges::all_of(schema->attributes, isNumber) ? schema : nullptr;
}

// Those of the activation, in order, as far as they are given. FusedGemm names each, FusedConv lists them.
std::vector<float> activationNumbers(const NodeFacts &node)
{
    if (node.type.ends_with("FusedConv"))
        return node.reals("activation_params");
    const OperatorSchema *activation = fusedActivation(node.text("activation"));
    std::vector<float> numbers;
    for (std::size_t i = 0; activation && i < activation->attributes.size(); ++i) {
        const std::string name = "activation_" + activation->attributes[i].name;
        if (!node.gives(name))
            break;
        numbers.push_back(node.real(name));
    }
    return numbers;
}

std::string unknownActivation(const NodeFacts &node)
{
    const std::string type = node.text("activation");
    if (!type.empty() && !fusedActivation(type))
        return "its activation " + type + " is not known";
    return type == "Clip" && activationNumbers(node).size() < 2 ? "its activation Clip has no bounds" : std::string();
}

// A value after the activation that the attributes name.
Source activated(Composer &compose, Source value)
{
    const NodeFacts &node = compose.node();
    const std::string type = node.text("activation");
    if (type.empty())
        return value;
    const std::vector<float> numbers = activationNumbers(node);
    if (type == "Clip")
        return compose.step("Clip", {std::move(value), compose.number(numbers[0]), compose.number(numbers[1])});
    std::vector<NamedAttribute> attributes;
    const auto &known = fusedActivation(type)->attributes;
    for (std::size_t i = 0; i < std::min(known.size(), numbers.size()); ++i)
        attributes.emplace_back(known[i].name, numbers[i]);
    return compose.step(type, {std::move(value)}, std::move(attributes));
}

// Channels of a tensor, from the last place to the second, or back.
Source withChannels(Composer &compose, Source from, std::size_t rank, bool last)
{
    Dims order(rank);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (last)
        std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    else
        std::rotate(order.begin() + 1, order.end() - 1, order.end());
    return compose.step("Transpose", {std::move(from)}, {{"perm", std::move(order)}});
}

Result<Steps> quantizedGlobalPool(Composer &compose)
{
    if (compose.node().integer("channels_last") == 0)
        return compose.made({compose.quantized(compose.step("GlobalAveragePool", {compose.dequantized(0)}), 3)});
    const std::size_t rank = compose.node().shape(0).dims.size();
    if (rank < 3)
        return kernels::refuse("its input is not a batch of images");
    Dims middle(rank - 2);
    std::iota(middle.begin(), middle.end(), std::int64_t{1});
    const Source pooled =
        compose.step("ReduceMean", {compose.dequantized(0), whole(std::move(middle))}, {{"keepdims", std::int64_t{1}}});
    return compose.made({compose.quantized(pooled, 3)});
}

Result<Steps> quantizedPool(Composer &compose)
{
    const bool last = compose.node().integer("channels_last") != 0;
    const std::size_t rank = compose.node().shape(0).dims.size();
    if (last && rank < 3)
        return kernels::refuse("its input is not a batch of images");
    Source image = compose.dequantized(0);
    if (last)
        image = withChannels(compose, image, rank, false);
    Source pooled =
        compose.step("AveragePool", {image},
                     compose.taken({"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}));
    if (last)
        pooled = withChannels(compose, pooled, rank, true);
    return compose.made({compose.quantized(pooled, 3)});
}

// Scale and zero point of the result, then tensor, scale and zero point of each part.
Result<Steps> quantizedConcat(Composer &compose)
{
    std::vector<Source> parts;
    for (std::size_t place = 2; place + 2 < compose.node().inputs.size(); place += 3)
        parts.push_back(compose.dequantized(place));
    const Source joined = compose.step("Concat", std::move(parts), compose.taken({"axis"}));
    return compose.made({compose.quantized(joined, 0)});
}

// Before opset 13 it covers all dimensions from the axis on.
Result<Steps> quantizedSoftmax(Composer &compose)
{
    const Dims &dims = compose.node().shape(0).dims;
    const auto axis = axisWithin(compose.node().integer("axis"), dims.size());
    if (!axis)
        return kernels::refuse("its axis is out of range");
    const bool flattens = compose.node().integer("opset") < 13 && *axis + 1 < dims.size();
    if (!flattens) {
        const Source shares =
            compose.step("Softmax", {compose.dequantized(0)}, {{"axis", static_cast<std::int64_t>(*axis)}});
        return compose.made({compose.quantized(shares, 3)});
    }
    const std::span all(dims);
    const Dims rows{kernels::productOf(all.first(*axis)), kernels::productOf(all.subspan(*axis))};
    const Source flat = compose.step("Reshape", {compose.dequantized(0), whole(rows)});
    const Source shares = compose.step("Softmax", {flat}, {{"axis", std::int64_t{1}}});
    return compose.made({compose.quantized(compose.step("Reshape", {shares, whole(dims)}), 3)});
}

// a, b with scales and zero points, then c in their product's scale, then scale and zero point of the result.
Result<Steps> quantizedGemm(Composer &compose)
{
    const NodeFacts &node = compose.node();
    constexpr std::size_t kAddend = 6;
    const std::int64_t columnAxis = node.integer("transB") != 0 ? 0 : 1;
    Source result = compose.step("Gemm", {compose.dequantized(0), compose.dequantized(3, columnAxis)},
                                 compose.taken({"alpha", "transA", "transB"}));
    if (node.has(kAddend)) {
        const Source real = compose.step("Cast", {operand(kAddend)}, {{"to", std::int64_t{1}}});
        const Source scale = compose.step("Mul", {operand(1), operand(4)});
        const Source product = compose.step("Mul", {compose.number(node.real("alpha")), scale});
        result = compose.step("Add", {result, compose.step("Mul", {real, product})});
    }
    return compose.made({node.has(kAddend + 1) ? compose.quantized(result, kAddend + 1) : result});
}

// a, b, their scales, their zero points, an addend
Result<Steps> integerProductToReal(Composer &compose)
{
    const Source product = compose.step("MatMulInteger", {operand(0), operand(1), operand(4), operand(5)});
    const Source real = compose.step("Cast", {product}, {{"to", std::int64_t{1}}});
    Source result = compose.step("Mul", {real, compose.step("Mul", {operand(2), operand(3)})});
    if (compose.node().has(6))
        result = compose.step("Add", {result, operand(6)});
    return compose.made({result});
}

Result<Steps> fusedConv(Composer &compose)
{
    Source result = compose.step("Conv", {operand(0), operand(1), operand(2)},
                                 compose.taken({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}));
    if (compose.node().has(3))
        result = compose.step("Add", {result, operand(3)});
    return compose.made({activated(compose, result)});
}

Result<Steps> fusedGemm(Composer &compose)
{
    const Source product = compose.step("Gemm", {operand(0), operand(1), operand(2)},
                                        compose.taken({"alpha", "beta", "transA", "transB"}));
    return compose.made({activated(compose, product)});
}

// An operand of a product, of which the first dimension comes behind those of the batch, and the last two are swapped.
Source turned(Composer &compose, std::size_t place, bool batch, bool last)
{
    Dims order(compose.node().shape(place).dims.size());
    if (order.size() < 2 || (!batch && !last))
        return operand(place);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (batch)
        std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    if (last)
        std::swap(order.back(), order[order.size() - 2]);
    return compose.step("Transpose", {operand(place)}, {{"perm", std::move(order)}});
}

Result<Steps> fusedMatMul(Composer &compose)
{
    const NodeFacts &node = compose.node();
    const Source a = turned(compose, 0, node.integer("transBatchA") != 0, node.integer("transA") != 0);
    const Source b = turned(compose, 1, node.integer("transBatchB") != 0, node.integer("transB") != 0);
    const Source product = compose.step("MatMul", {a, b});
    const float factor = node.real("alpha");
    return compose.made({factor == 1 ? product : compose.step("Mul", {product, compose.number(factor)})});
}

Result<Steps> gelu(Composer &compose)
{
    const bool byTanh = compose.node().type.ends_with("FastGelu");
    const Source x = compose.node().has(1) ? compose.step("Add", {operand(0), operand(1)}) : operand(0);
    return compose.made({compose.step("Gelu", {x}, {{"approximate", std::string(byTanh ? "tanh" : "none")}})});
}

Result<Steps> quickGelu(Composer &compose)
{
    const Source scaled = compose.step("Mul", {operand(0), compose.number(compose.node().real("alpha"))});
    return compose.made({compose.step("Mul", {operand(0), compose.step("Sigmoid", {scaled})})});
}

// The sum is the fourth output; the second and third are statistics of training.
Result<Steps> skipNormalized(Composer &compose)
{
    const NodeFacts &node = compose.node();
    const bool hasShift = !node.type.ends_with("SimplifiedLayerNormalization");
    Source sum = compose.step("Add", {operand(0), operand(1)});
    const std::size_t biasAt = hasShift ? 4 : 3;
    if (node.has(biasAt))
        sum = compose.step("Add", {sum, operand(biasAt)});
    const std::vector<NamedAttribute> attributes{{"axis", std::int64_t{-1}}, {"epsilon", node.real("epsilon")}};
    const Source result = hasShift ? compose.step("LayerNormalization", {sum, operand(2), operand(3)}, attributes)
                                   : compose.step("RMSNormalization", {sum, operand(2)}, attributes);
    return compose.made({result, std::nullopt, std::nullopt, sum});
}

} // namespace

std::string unknownForm(const NodeFacts &node)
{
    if (node.type == "com.microsoft::FusedConv" || node.type == "com.microsoft::FusedGemm")
        return unknownActivation(node);
    return node.type == "Attention" ? unknownAttention(node) : std::string();
}

Result<Steps> stepsOf(const NodeFacts &node)
{
    static const std::map<std::string_view, Result<Steps> (*)(Composer &)> table{
        {"Attention", attention},
        {"com.microsoft::BiasGelu", gelu},
        {"com.microsoft::FastGelu", gelu},
        {"com.microsoft::FusedConv", fusedConv},
        {"com.microsoft::FusedGemm", fusedGemm},
        {"com.microsoft::FusedMatMul", fusedMatMul},
        {"com.microsoft::Gelu", gelu},
        {"com.microsoft::MatMulIntegerToFloat", integerProductToReal},
        {"com.microsoft::QGemm", quantizedGemm},
        {"com.microsoft::QLinearAveragePool", quantizedPool},
        {"com.microsoft::QLinearConcat", quantizedConcat},
        {"com.microsoft::QLinearGlobalAveragePool", quantizedGlobalPool},
        {"com.microsoft::QLinearSoftmax", quantizedSoftmax},
        {"com.microsoft::QuickGelu", quickGelu},
        {"com.microsoft::SkipLayerNormalization", skipNormalized},
        {"com.microsoft::SkipSimplifiedLayerNormalization", skipNormalized},
    };
    const auto found = table.find(node.type);
    if (found == table.end())
        return kernels::refuse("nothing is known about " + node.type);
    if (const std::string unknown = unknownForm(node); !unknown.empty())
        return kernels::refuse(unknown);
    for (const auto &input : node.inputs) {
        if (input && !input->shape.known)
            return kernels::refuse("shapes of its operands are not known");
    }
    Composer compose(node);
    return found->second(compose);
}

} // namespace stagecraft::composed
