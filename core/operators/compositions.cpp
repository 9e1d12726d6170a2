// What the composed operators are made of. Sources: ONNX Runtime's documentation of its own operators, and the ONNX
// operator specification (Attention). Longer than other files: one list after the other, which share nothing but
// Composer.

#include "operators/composed.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace stagecraft::composed {
namespace {

using Dims = std::vector<std::int64_t>;

Source operand(std::size_t place)
{
    return {Source::Kind::Operand, place, 0, {}};
}

Source constant(Constant value)
{
    return {Source::Kind::Constant, 0, 0, std::make_shared<const Constant>(std::move(value))};
}

Source number(float value)
{
    return constant(floatConstant({}, {value}));
}

Source whole(Dims values)
{
    const auto count = static_cast<std::int64_t>(values.size());
    return constant(intConstant({count}, std::move(values)));
}

// Activations that may be a part of another operator, with the names of their numbers.
const std::map<std::string, std::vector<std::string>> &fusedActivations()
{
    static const std::map<std::string, std::vector<std::string>> table{
        {"Celu", {"alpha"}},
        {"Clip", {"min", "max"}},
        {"Elu", {"alpha"}},
        {"HardSigmoid", {"alpha", "beta"}},
        {"HardSwish", {}},
        {"LeakyRelu", {"alpha"}},
        {"Relu", {}},
        {"Selu", {"alpha", "gamma"}},
        {"Sigmoid", {}},
        {"Softplus", {}},
        {"Softsign", {}},
        {"Tanh", {}},
        {"ThresholdedRelu", {"alpha"}},
    };
    return table;
}

// Those of the activation, in order. FusedGemm names each, FusedConv lists them.
std::vector<float> activationNumbers(const NodeFacts &node)
{
    if (node.type.ends_with("FusedConv"))
        return node.reals("activation_params");
    const auto found = fusedActivations().find(node.text("activation"));
    std::vector<float> numbers;
    for (std::size_t i = 0; found != fusedActivations().end() && i < found->second.size(); ++i) {
        const std::string name = "activation_" + found->second[i];
        if (!node.gives(name))
            break;
        numbers.push_back(node.real(name));
    }
    return numbers;
}

std::string unknownActivation(const NodeFacts &node)
{
    const std::string type = node.text("activation");
    if (!type.empty() && !fusedActivations().contains(type))
        return "its activation " + type + " is not known";
    return type == "Clip" && activationNumbers(node).size() < 2 ? "its activation Clip has no bounds" : std::string();
}

// Adds steps; each call returns what the step makes.
class Composer {
public:
    explicit Composer(const NodeFacts &node) : m_node(node) {}

    [[nodiscard]] const NodeFacts &node() const { return m_node; }

    Source step(std::string type, std::vector<Source> inputs, std::vector<NamedAttribute> attributes = {})
    {
        m_made.steps.push_back({std::move(type), std::move(inputs), std::move(attributes), 1});
        return {Source::Kind::Step, m_made.steps.size() - 1, 0, {}};
    }

    // An operand with its scale and zero point behind it, one for all or by place of `axis`.
    Source dequantized(std::size_t place, std::int64_t axis = 1)
    {
        return step("DequantizeLinear", {operand(place), operand(place + 1), operand(place + 2)}, {{"axis", axis}});
    }
    Source quantized(Source value, std::size_t scale)
    {
        return step("QuantizeLinear", {std::move(value), operand(scale), operand(scale + 1)});
    }

    // Attributes of the node with these names.
    [[nodiscard]] std::vector<NamedAttribute> taken(std::initializer_list<std::string_view> names) const
    {
        std::vector<NamedAttribute> found;
        for (const NamedAttribute &attribute : m_node.attributes) {
            if (std::ranges::count(names, attribute.first) > 0)
                found.push_back(attribute);
        }
        return found;
    }

    // The step before, after the activation that the attributes name; its numbers, as far as they are given.
    Source activated(Source value, std::span<const float> numbers)
    {
        const std::string type = m_node.text("activation");
        if (type.empty())
            return value;
        if (type == "Clip")
            return step("Clip", {std::move(value), number(numbers[0]), number(numbers[1])});
        std::vector<NamedAttribute> attributes;
        const auto &names = fusedActivations().at(type);
        for (std::size_t i = 0; i < std::min(names.size(), numbers.size()); ++i)
            attributes.emplace_back(names[i], numbers[i]);
        return step(type, {std::move(value)}, std::move(attributes));
    }

    [[nodiscard]] Steps made(std::vector<std::optional<Source>> results)
    {
        m_made.results = std::move(results);
        m_made.results.resize(std::max(m_made.results.size(), m_node.outputCount));
        return std::move(m_made);
    }

private:
    const NodeFacts &m_node;
    Steps m_made;
};

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
        const Source product = compose.step("Mul", {number(node.real("alpha")), scale});
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
    return compose.made({compose.activated(result, activationNumbers(compose.node()))});
}

Result<Steps> fusedGemm(Composer &compose)
{
    const Source product = compose.step("Gemm", {operand(0), operand(1), operand(2)},
                                        compose.taken({"alpha", "beta", "transA", "transB"}));
    return compose.made({compose.activated(product, activationNumbers(compose.node()))});
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
    return compose.made({factor == 1 ? product : compose.step("Mul", {product, number(factor)})});
}

Result<Steps> gelu(Composer &compose)
{
    const bool byTanh = compose.node().type.ends_with("FastGelu");
    const Source x = compose.node().has(1) ? compose.step("Add", {operand(0), operand(1)}) : operand(0);
    return compose.made({compose.step("Gelu", {x}, {{"approximate", std::string(byTanh ? "tanh" : "none")}})});
}

Result<Steps> quickGelu(Composer &compose)
{
    const Source scaled = compose.step("Mul", {operand(0), number(compose.node().real("alpha"))});
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

// Heads of a tensor that has them beside each other: batch x length x (heads x size) to batch x heads x length x size.
Source headsOf(Composer &compose, Source from, const Dims &dims, std::int64_t heads)
{
    if (dims.size() == 4)
        return from;
    const Source apart = compose.step("Reshape", {std::move(from), whole({dims[0], dims[1], heads, dims[2] / heads})});
    return compose.step("Transpose", {apart}, {{"perm", Dims{0, 2, 1, 3}}});
}

Dims headDims(const Dims &dims, std::int64_t heads)
{
    return dims.size() == 4 ? dims : Dims{dims[0], heads, dims[1], dims[2] / heads};
}

// The places of Attention's operands.
constexpr std::size_t kMask = 3;
constexpr std::size_t kPastKey = 4;
constexpr std::size_t kPastValue = 5;
constexpr std::size_t kLengths = 6; // of the keys that count, by batch
constexpr float kNever = -std::numeric_limits<float>::infinity();

// first, first + 1, ...
Dims upTo(std::int64_t count, std::int64_t first = 0)
{
    Dims numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

// The shapes of Q, K and V by heads, without keys and values of before.
Result<std::array<Dims, 3>> attentionDims(const NodeFacts &node)
{
    if (!node.has(1) || !node.has(2) || node.has(kPastKey) != node.has(kPastValue))
        return kernels::refuse("keys or values are missing");
    std::array<Dims, 3> dims;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t heads = node.integer(i == 0 ? "q_num_heads" : "kv_num_heads");
        const Dims &own = node.shape(i).dims;
        const bool fits = own.size() == 4 || (own.size() == 3 && heads > 0 && own[2] % heads == 0);
        if (!fits || own.size() != node.shape(0).dims.size())
            return kernels::refuse("its operands have shapes that do not fit");
        dims[i] = headDims(own, heads);
    }
    if (dims[1][1] <= 0 || dims[0][1] % dims[1][1] != 0 || dims[1][1] != dims[2][1])
        return kernels::refuse("its heads do not fit");
    for (const std::size_t past : {kPastKey, kPastValue}) {
        if (node.has(past) && node.shape(past).dims.size() != 4)
            return kernels::refuse("its keys or values of before do not fit");
    }
    if (node.has(kLengths) && node.shape(kLengths).dims != Dims{dims[0][0]})
        return kernels::refuse("its numbers of keys that count do not fit its batch");
    return dims;
}

// The keys or values, behind those of before; `dims` become those of all.
Source withPast(Composer &compose, std::size_t place, Dims &dims)
{
    const NodeFacts &node = compose.node();
    Source own = headsOf(compose, operand(place), node.shape(place).dims, dims[1]);
    const std::size_t past = place - 1 + kPastKey;
    if (!node.has(past))
        return own;
    dims[2] += node.shape(past).dims[2];
    return compose.step("Concat", {operand(past), own}, {{"axis", std::int64_t{2}}});
}

// Keys or values that several heads share are repeated.
Source forHeads(Composer &compose, Source own, const Dims &d, std::int64_t heads)
{
    const std::int64_t each = heads / d[1];
    if (each == 1)
        return own;
    const Source apart = compose.step("Reshape", {std::move(own), whole({d[0], d[1], 1, d[2], d[3]})});
    const Source repeated = compose.step("Expand", {apart, whole({d[0], d[1], each, d[2], d[3]})});
    return compose.step("Reshape", {repeated, whole({d[0], heads, d[2], d[3]})});
}

// Keys that come after the query count never. The queries are the last of all, or of those that count.
Source causal(Composer &compose, Source scores, std::int64_t rows, std::int64_t columns, std::optional<Source> lengths)
{
    const NodeFacts &node = compose.node();
    const std::int64_t before = node.has(kPastKey) ? node.shape(kPastKey).dims[2] : 0;
    // The last key that each query sees; where lengths decide, how much less than those it is.
    Source seen = constant(intConstant({rows, 1}, upTo(rows, lengths ? -rows : before)));
    if (lengths)
        seen = compose.step("Add", {seen, *lengths});
    const Source sees = compose.step("LessOrEqual", {whole(upTo(columns)), seen});
    return compose.step("Where", {sees, std::move(scores), number(kNever)});
}

// A mask may end before the keys do.
Source masked(Composer &compose, Source scores, std::int64_t columns)
{
    const NodeFacts &node = compose.node();
    const Dims &dims = node.shape(kMask).dims;
    const std::int64_t missing = dims.empty() || dims.back() == 1 ? 0 : columns - dims.back();
    const bool isTruth = node.inputs[kMask]->type == DataType::Bool;
    if (isTruth && missing <= 0)
        return compose.step("Where", {operand(kMask), std::move(scores), number(kNever)});
    Source mask = isTruth ? compose.step("Where", {operand(kMask), number(0), number(kNever)}) : operand(kMask);
    if (missing > 0) {
        Dims pads(2 * dims.size(), 0);
        pads.back() = missing;
        mask = compose.step("Pad", {mask, whole(std::move(pads)), number(kNever)});
    }
    return compose.step("Add", {std::move(scores), mask});
}

Result<Steps> attention(Composer &compose)
{
    const NodeFacts &node = compose.node();
    auto known = attentionDims(node);
    if (!known)
        return tl::unexpected(std::move(known.error()));
    auto &[q, k, v] = *known;
    const Source query = headsOf(compose, operand(0), node.shape(0).dims, q[1]);
    const Source allKeys = withPast(compose, 1, k);
    const Source allValues = withPast(compose, 2, v);
    const Source keys = compose.step("Transpose", {forHeads(compose, allKeys, k, q[1])}, {{"perm", Dims{0, 1, 3, 2}}});
    const float scale = node.gives("scale") ? node.real("scale") : 1 / std::sqrt(static_cast<float>(q[3]));
    Source scores = compose.step("Mul", {compose.step("MatMul", {query, keys}), number(scale)});
    std::array<Source, 4> shown{scores}; // by qk_matmul_output_mode
    if (const float cap = node.real("softcap"); cap > 0)
        scores = compose.step("Mul", {compose.step("Tanh", {compose.step("Div", {scores, number(cap)})}), number(cap)});
    shown[1] = scores;
    std::optional<Source> lengths;
    if (node.has(kLengths))
        lengths = compose.step("Reshape", {operand(kLengths), whole({q[0], 1, 1, 1})});
    if (node.integer("is_causal") != 0)
        scores = causal(compose, scores, q[2], k[2], lengths);
    if (node.has(kMask))
        scores = masked(compose, scores, k[2]);
    if (lengths) {
        const Source counts = compose.step("Less", {whole(upTo(k[2])), *lengths});
        scores = compose.step("Where", {counts, scores, number(kNever)});
    }
    shown[2] = scores;
    Source shares = compose.step("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    if (node.has(kMask) || lengths) { // who may look at nothing sees nothing
        const Source largest = compose.step("ReduceMax", {scores, whole({-1})}, {{"keepdims", std::int64_t{1}}});
        const Source sees = compose.step("Not", {compose.step("Equal", {largest, number(kNever)})});
        shares = compose.step("Where", {sees, shares, number(0)});
    }
    shown[3] = shares;
    const Source asked = shown[static_cast<std::size_t>(node.integer("qk_matmul_output_mode"))];
    Source result = compose.step("MatMul", {shares, forHeads(compose, allValues, v, q[1])});
    if (node.shape(0).dims.size() == 3) {
        const Source beside = compose.step("Transpose", {result}, {{"perm", Dims{0, 2, 1, 3}}});
        result = compose.step("Reshape", {beside, whole({q[0], q[2], q[1] * v[3]})});
    }
    return compose.made({result, allKeys, allValues, asked});
}

std::string unknownOutput(const NodeFacts &node)
{
    const std::int64_t mode = node.integer("qk_matmul_output_mode");
    return mode < 0 || mode > 3 ? "its qk_matmul_output_mode " + std::to_string(mode) + " is not known" : std::string();
}

} // namespace

std::string unknownForm(const NodeFacts &node)
{
    if (node.type == "com.microsoft::FusedConv" || node.type == "com.microsoft::FusedGemm")
        return unknownActivation(node);
    return node.type == "Attention" ? unknownOutput(node) : std::string();
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
