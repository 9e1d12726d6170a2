// Attention of opset 23 and 24 as a list of steps. Source: the ONNX operator specification.

#include "operators/composed/composer.h"
#include "operators/kernels/typed.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace stagecraft::composed {
namespace {

using Dims = std::vector<std::int64_t>;

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
    return compose.step("Where", {sees, std::move(scores), compose.number(kNever)});
}

// A mask may end before the keys do.
Source masked(Composer &compose, Source scores, std::int64_t columns)
{
    const NodeFacts &node = compose.node();
    const Dims &dims = node.shape(kMask).dims;
    const std::int64_t missing = dims.empty() || dims.back() == 1 ? 0 : columns - dims.back();
    const bool isTruth = node.inputs[kMask]->type == DataType::Bool;
    if (isTruth && missing <= 0)
        return compose.step("Where", {operand(kMask), std::move(scores), compose.number(kNever)});
    Source mask =
        isTruth ? compose.step("Where", {operand(kMask), compose.number(0), compose.number(kNever)}) : operand(kMask);
    if (missing > 0) {
        Dims pads(2 * dims.size(), 0);
        pads.back() = missing;
        mask = compose.step("Pad", {mask, whole(std::move(pads)), compose.number(kNever)});
    }
    return compose.step("Add", {std::move(scores), mask});
}

} // namespace

Result<Steps> attention(Composer &compose)
{
    const NodeFacts &node = compose.node();
    TRY_AS(auto known, attentionDims(node));
    auto &[q, k, v] = known;
    const Source query = headsOf(compose, operand(0), node.shape(0).dims, q[1]);
    const Source allKeys = withPast(compose, 1, k);
    const Source allValues = withPast(compose, 2, v);
    const Source keys = compose.step("Transpose", {forHeads(compose, allKeys, k, q[1])}, {{"perm", Dims{0, 1, 3, 2}}});
    const float scale = node.gives("scale") ? node.real("scale") : 1 / std::sqrt(static_cast<float>(q[3]));
    Source scores = compose.step("Mul", {compose.step("MatMul", {query, keys}), compose.number(scale)});
    std::array<Source, 4> shown{scores}; // by qk_matmul_output_mode
    if (const float cap = node.real("softcap"); cap > 0)
        scores = compose.step(
            "Mul", {compose.step("Tanh", {compose.step("Div", {scores, compose.number(cap)})}), compose.number(cap)});
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
        scores = compose.step("Where", {counts, scores, compose.number(kNever)});
    }
    shown[2] = scores;
    Source shares = compose.step("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    if (node.has(kMask) || lengths) { // who may look at nothing sees nothing
        const Source largest = compose.step("ReduceMax", {scores, whole({-1})}, {{"keepdims", std::int64_t{1}}});
        const Source sees = compose.step("Not", {compose.step("Equal", {largest, compose.number(kNever)})});
        shares = compose.step("Where", {sees, shares, compose.number(0)});
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

std::string unknownAttention(const NodeFacts &node)
{
    const std::int64_t mode = node.integer("qk_matmul_output_mode");
    return mode < 0 || mode > 3 ? "its qk_matmul_output_mode " + std::to_string(mode) + " is not known" : std::string();
}

} // namespace stagecraft::composed
