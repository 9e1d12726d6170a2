// What the composed operators are made of. Sources: ONNX Runtime's documentation of its own operators, and the ONNX
// operator specification (Attention).

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

    // The step before, after the activation that the attributes name.
    Result<Source> activated(Source value, float first, float second)
    {
        const std::string type = m_node.text("activation");
        if (type.empty())
            return value;
        if (type == "Clip")
            return step("Clip", {std::move(value), number(first), number(second)});
        if (type != "Relu" && type != "Tanh" && type != "Sigmoid" && type != "LeakyRelu" && type != "HardSigmoid")
            return kernels::refuse("its activation " + type + " is not known");
        std::vector<NamedAttribute> attributes;
        if (type == "LeakyRelu" || type == "HardSigmoid")
            attributes.emplace_back("alpha", first);
        if (type == "HardSigmoid")
            attributes.emplace_back("beta", second);
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

Result<Steps> quantizedGlobalPool(Composer &compose)
{
    if (compose.node().integer("channels_last") != 0)
        return kernels::refuse("its channels are last");
    const Source pooled = compose.step("GlobalAveragePool", {compose.dequantized(0)});
    return compose.made({compose.quantized(pooled, 3)});
}

Result<Steps> quantizedPool(Composer &compose)
{
    if (compose.node().integer("channels_last") != 0)
        return kernels::refuse("its channels are last");
    const Source pooled =
        compose.step("AveragePool", {compose.dequantized(0)},
                     compose.taken({"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}));
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

Result<Steps> quantizedSoftmax(Composer &compose)
{
    const std::int64_t axis = compose.node().integer("axis");
    const auto rank = static_cast<std::int64_t>(compose.node().shape(0).dims.size());
    if (compose.node().integer("opset") < 13 && axis != -1 && axis != rank - 1)
        return kernels::refuse("it covers several dimensions");
    const Source shares = compose.step("Softmax", {compose.dequantized(0)}, {{"axis", axis}});
    return compose.made({compose.quantized(shares, 3)});
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
    const auto numbers = compose.node().reals("activation_params");
    Source result = compose.step("Conv", {operand(0), operand(1), operand(2)},
                                 compose.taken({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}));
    if (compose.node().has(3))
        result = compose.step("Add", {result, operand(3)});
    auto done = compose.activated(result, numbers.empty() ? 0.01F : numbers[0], numbers.size() < 2 ? 0.5F : numbers[1]);
    if (!done)
        return tl::unexpected(std::move(done.error()));
    return compose.made({*done});
}

Result<Steps> fusedGemm(Composer &compose)
{
    const Source product = compose.step("Gemm", {operand(0), operand(1), operand(2)},
                                        compose.taken({"alpha", "beta", "transA", "transB"}));
    auto done =
        compose.activated(product, compose.node().real("activation_alpha"), compose.node().real("activation_beta"));
    if (!done)
        return tl::unexpected(std::move(done.error()));
    return compose.made({*done});
}

Source withLastSwapped(Composer &compose, std::size_t place)
{
    Dims order(compose.node().shape(place).dims.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (order.size() > 1)
        std::swap(order.back(), order[order.size() - 2]);
    return compose.step("Transpose", {operand(place)}, {{"perm", std::move(order)}});
}

Result<Steps> fusedMatMul(Composer &compose)
{
    const NodeFacts &node = compose.node();
    if (node.integer("transBatchA") != 0 || node.integer("transBatchB") != 0)
        return kernels::refuse("it swaps other dimensions than the last");
    const Source a = node.integer("transA") != 0 ? withLastSwapped(compose, 0) : operand(0);
    const Source b = node.integer("transB") != 0 ? withLastSwapped(compose, 1) : operand(1);
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

// Q, K, V, the mask; past keys and values are refused.
Result<Steps> attention(Composer &compose)
{
    const NodeFacts &node = compose.node();
    for (std::size_t place = 4; place < node.inputs.size(); ++place) {
        if (node.has(place))
            return kernels::refuse("it continues from keys and values of before");
    }
    if (!node.has(1) || !node.has(2) || node.outputCount > 1 || node.integer("qk_matmul_output_mode") != 0)
        return kernels::refuse("it has further outputs, or operands are missing");
    std::array<Dims, 3> dims;
    std::array<std::int64_t, 3> heads{node.integer("q_num_heads"), node.integer("kv_num_heads"),
                                      node.integer("kv_num_heads")};
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const Dims &own = node.shape(i).dims;
        const bool fits = own.size() == 4 || (own.size() == 3 && heads[i] > 0 && own[2] % heads[i] == 0);
        if (!fits || own.size() != node.shape(0).dims.size())
            return kernels::refuse("its operands have shapes that do not fit");
        dims[i] = headDims(own, heads[i]);
        heads[i] = dims[i][1];
    }
    if (heads[1] <= 0 || heads[0] % heads[1] != 0 || heads[1] != heads[2])
        return kernels::refuse("its heads do not fit");
    const Source query = headsOf(compose, operand(0), node.shape(0).dims, heads[0]);
    // Keys and values that several heads share are repeated.
    const auto shared = [&](std::size_t place) {
        Source own = headsOf(compose, operand(place), node.shape(place).dims, heads[place]);
        const std::int64_t each = heads[0] / heads[place];
        if (each == 1)
            return own;
        const Dims &d = dims[place];
        const Source apart = compose.step("Reshape", {own, whole({d[0], d[1], 1, d[2], d[3]})});
        const Source repeated = compose.step("Expand", {apart, whole({d[0], d[1], each, d[2], d[3]})});
        return compose.step("Reshape", {repeated, whole({d[0], heads[0], d[2], d[3]})});
    };
    const Source keys = compose.step("Transpose", {shared(1)}, {{"perm", Dims{0, 1, 3, 2}}});
    const float scale = node.gives("scale") ? node.real("scale") : 1 / std::sqrt(static_cast<float>(dims[0][3]));
    Source scores = compose.step("Mul", {compose.step("MatMul", {query, keys}), number(scale)});
    if (const float cap = node.real("softcap"); cap > 0)
        scores = compose.step("Mul", {compose.step("Tanh", {compose.step("Div", {scores, number(cap)})}), number(cap)});
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    if (node.integer("is_causal") != 0) {
        const std::int64_t rows = dims[0][2];
        const std::int64_t columns = dims[1][2];
        std::vector<float> mask(static_cast<std::size_t>(rows * columns), 0);
        for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t k = i + 1; k < columns; ++k)
                mask[static_cast<std::size_t>(i * columns + k)] = kNever;
        }
        scores = compose.step("Add", {scores, constant(floatConstant({rows, columns}, std::move(mask)))});
    }
    if (node.has(3))
        scores = node.inputs[3]->type == DataType::Bool ? compose.step("Where", {operand(3), scores, number(kNever)})
                                                        : compose.step("Add", {scores, operand(3)});
    Source shares = compose.step("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    if (node.has(3)) { // who may look at nothing sees nothing
        const Source largest = compose.step("ReduceMax", {scores, whole({-1})}, {{"keepdims", std::int64_t{1}}});
        shares = compose.step("Where", {compose.step("Equal", {largest, number(kNever)}), number(0), shares});
    }
    const Source result = compose.step("MatMul", {shares, shared(2)});
    if (node.shape(0).dims.size() == 4)
        return compose.made({result});
    const Source beside = compose.step("Transpose", {result}, {{"perm", Dims{0, 2, 1, 3}}});
    return compose.made({compose.step("Reshape", {beside, whole({dims[0][0], dims[0][2], heads[0] * dims[2][3]})})});
}

} // namespace

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
    for (const auto &input : node.inputs) {
        if (input && !input->shape.known)
            return kernels::refuse("shapes of its operands are not known");
    }
    Composer compose(node);
    return found->second(compose);
}

} // namespace stagecraft::composed
