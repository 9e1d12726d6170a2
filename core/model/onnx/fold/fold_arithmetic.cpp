#include "model/onnx/fold/fold_rules.h"

#include "model/onnx/shapes/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

namespace stagecraft::fold_rules {
namespace {

// Integers wrap around on overflow.
std::optional<std::int64_t> intResult(const std::string &type, std::int64_t a, std::int64_t b)
{
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const bool divides = b != 0 && !(a == std::numeric_limits<std::int64_t>::min() && b == -1);
    if (type == "Add")
        return static_cast<std::int64_t>(ua + ub);
    if (type == "Sub")
        return static_cast<std::int64_t>(ua - ub);
    if (type == "Mul")
        return static_cast<std::int64_t>(ua * ub);
    if (type == "Div" && divides)
        return a / b;
    if (type == "Mod" && divides)
        return a % b != 0 && (a < 0) != (b < 0) ? a % b + b : a % b;
    if (type == "Min")
        return std::min(a, b);
    if (type == "Max")
        return std::max(a, b);
    if (type == "Equal")
        return a == b;
    if (type == "Greater")
        return a > b;
    if (type == "GreaterOrEqual")
        return a >= b;
    if (type == "Less")
        return a < b;
    if (type == "LessOrEqual")
        return a <= b;
    if (type == "And")
        return a != 0 && b != 0;
    if (type == "Or")
        return a != 0 || b != 0;
    return std::nullopt;
}

std::optional<float> floatResult(const std::string &type, float a, float b)
{
    if (type == "Add")
        return a + b;
    if (type == "Sub")
        return a - b;
    if (type == "Mul")
        return a * b;
    if (type == "Div")
        return a / b;
    if (type == "Pow")
        return std::pow(a, b);
    if (type == "Min")
        return std::min(a, b);
    if (type == "Max")
        return std::max(a, b);
    return std::nullopt;
}

} // namespace

Folded foldCast(const OnnxNode &node)
{
    const auto to = static_cast<int>(node.integer("to", 0));
    const Constant &from = *node.constant(0);
    Constant result{from.dims, dataTypeOf(to), nullptr, nullptr, to};
    if (result.type == DataType::Other)
        return std::nullopt;
    if (isFloatingPoint(result.type))
        result.floats = from.asFloats();
    else if (result.type == DataType::Bool) {
        auto values = std::make_shared<std::vector<std::int64_t>>(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            (*values)[i] = from.floats ? (*from.floats)[i] != 0.0F : (*from.ints)[i] != 0;
        result.ints = std::move(values);
    } else {
        result.ints = std::make_shared<std::vector<std::int64_t>>(from.asInts());
    }
    return one(std::move(result));
}

std::optional<std::int64_t> rangeLength(const OnnxNode &node)
{
    double ends[3];
    for (std::size_t i = 0; i < 3; ++i) {
        const Constant *end = node.constant(i);
        if (!end || end->size() != 1)
            return std::nullopt;
        ends[i] = end->isFloat() ? static_cast<double>((*end->floats)[0]) : static_cast<double>((*end->ints)[0]);
    }
    const double length = std::ceil((ends[1] - ends[0]) / ends[2]);
    if (!(std::abs(length) <= static_cast<double>(kMaxFolded))) // false for NaN
        return std::nullopt;
    return static_cast<std::int64_t>(std::max(length, 0.0));
}

Folded foldRange(const OnnxNode &node)
{
    const auto length = rangeLength(node);
    if (!length)
        return std::nullopt;
    if (node.constant(0)->isFloat()) {
        const float start = node.constant(0)->asFloats()->front();
        const float step = node.constant(2)->asFloats()->front();
        std::vector<float> values(static_cast<std::size_t>(*length));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = start + static_cast<float>(i) * step;
        return one(floatConstant({*length}, std::move(values)));
    }
    const std::int64_t start = (*node.constant(0)->ints)[0];
    const std::int64_t step = node.constant(2)->asInts()[0];
    std::vector<std::int64_t> values(static_cast<std::size_t>(*length));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(step));
    return one(intConstant({*length}, std::move(values)));
}

Folded foldBinary(const OnnxNode &node)
{
    const Constant *a = node.constant(0);
    const Constant *b = node.constant(1);
    const bool isTruncated = node.integer("fmod", 0) != 0; // remainder with the sign of the dividend, as in C
    if (node.inputs.size() != 2 || !a || !b || a->isFloat() != b->isFloat() || isTruncated)
        return std::nullopt;
    const auto dims = broadcastDims(a->dims, b->dims);
    const auto ia = dims && foldableCount(*dims) ? broadcastIndices(a->dims, *dims) : std::nullopt;
    const auto ib = ia ? broadcastIndices(b->dims, *dims) : std::nullopt;
    if (!ib)
        return std::nullopt;
    const auto combine = [&](const auto &x, const auto &y, auto rule) {
        std::remove_cvref_t<decltype(x)> values(ia->size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value =
                rule(node.type, x[static_cast<std::size_t>((*ia)[i])], y[static_cast<std::size_t>((*ib)[i])]);
            if (!value)
                return std::remove_cvref_t<decltype(x)>{};
            values[i] = *value;
        }
        return values;
    };
    if (a->isFloat()) {
        auto values = combine(*a->floats, *b->floats, floatResult);
        return values.size() == ia->size() ? one(floatConstant(*dims, std::move(values))) : std::nullopt;
    }
    auto values = combine(*a->ints, *b->ints, intResult);
    return values.size() == ia->size() ? one(intConstant(*dims, std::move(values))) : std::nullopt;
}

Folded foldUnary(const OnnxNode &node)
{
    static const std::map<std::string, float (*)(float)> rules{
        {"Neg", [](float x) { return -x; }},
        {"Abs", [](float x) { return std::fabs(x); }},
        {"Sqrt", [](float x) { return std::sqrt(x); }},
        {"Floor", [](float x) { return std::floor(x); }},
        {"Ceil", [](float x) { return std::ceil(x); }},
        {"Exp", [](float x) { return std::exp(x); }},
        {"Log", [](float x) { return std::log(x); }},
        {"Reciprocal", [](float x) { return 1.0F / x; }},
    };
    const Constant &from = *node.constant(0);
    const auto rule = rules.find(node.type);
    if (node.type == "Not" && from.ints) {
        std::vector<std::int64_t> values(*from.ints);
        std::ranges::transform(values, values.begin(), [](std::int64_t x) { return x == 0; });
        return one(intConstant(from.dims, std::move(values)));
    }
    if (node.type == "Neg" && from.ints) {
        std::vector<std::int64_t> values(*from.ints);
        std::ranges::transform(values, values.begin(), [](std::int64_t x) {
            return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
        });
        return one(intConstant(from.dims, std::move(values)));
    }
    if (rule == rules.end() || !from.floats)
        return std::nullopt;
    std::vector<float> values(*from.floats);
    std::ranges::transform(values, values.begin(), rule->second);
    return one(floatConstant(from.dims, std::move(values)));
}

Folded foldWhere(const OnnxNode &node)
{
    const Constant *condition = node.constant(0);
    const Constant *yes = node.constant(1);
    const Constant *no = node.constant(2);
    if (!condition->ints || !yes->ints || !no->ints)
        return std::nullopt;
    const auto both = broadcastDims(yes->dims, no->dims);
    const auto dims = both ? broadcastDims(condition->dims, *both) : std::nullopt;
    if (!dims || !foldableCount(*dims))
        return std::nullopt;
    const auto ic = broadcastIndices(condition->dims, *dims);
    const auto iy = broadcastIndices(yes->dims, *dims);
    const auto in = broadcastIndices(no->dims, *dims);
    std::vector<std::int64_t> values(ic->size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool chosen = (*condition->ints)[static_cast<std::size_t>((*ic)[i])] != 0;
        values[i] =
            chosen ? (*yes->ints)[static_cast<std::size_t>((*iy)[i])] : (*no->ints)[static_cast<std::size_t>((*in)[i])];
    }
    return one(intConstant(*dims, std::move(values)));
}

Folded foldReduce(const OnnxNode &node)
{
    const Constant &from = *node.constant(0);
    const auto axes = node.integersFrom("axes", 1);
    // Only reductions over all elements: that is how sizes are computed.
    if (!from.ints || from.dims.size() > 1 || (axes.given && (!axes.values || axes.values->size() > 1)) ||
        node.integer("noop_with_empty_axes", 0) != 0)
        return std::nullopt;
    std::optional<std::int64_t> result;
    const std::string rule = node.type == "ReduceProd"  ? "Mul"
                             : node.type == "ReduceSum" ? "Add"
                             : node.type == "ReduceMin" ? "Min"
                                                        : "Max";
    for (const std::int64_t value : *from.ints)
        result = result ? intResult(rule, *result, value) : std::optional(value);
    if (!result)
        return std::nullopt;
    const bool keep = node.integer("keepdims", 1) != 0 && !from.dims.empty();
    return one(intConstant(keep ? Dims{1} : Dims{}, {*result}));
}

// For weights of quantised models: (x - zero point) * scale, per tensor or along an axis.
Folded foldDequantize(const OnnxNode &node)
{
    const Constant &data = *node.constant(0);
    const Constant *scale = node.constant(1);
    const Constant *zero = node.constant(2);
    if (node.integer("block_size", 0) != 0 || (scale && scale->dims.size() > 1))
        return std::nullopt;
    if (!data.ints || !scale || !scale->floats || (zero && (!zero->ints || zero->size() != scale->size())))
        return std::nullopt;
    const auto axis = axisWithin(node.integer("axis", 1), data.dims.size());
    const bool perTensor = scale->size() == 1;
    if (!perTensor && (!axis || data.dims[*axis] != static_cast<std::int64_t>(scale->size())))
        return std::nullopt;
    const std::int64_t inner = perTensor ? 1 : strides(data.dims)[*axis];
    std::vector<float> values(data.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t c = perTensor ? 0 : i / static_cast<std::size_t>(inner) % scale->size();
        const std::int64_t offset = zero ? (*zero->ints)[c] : 0;
        values[i] = static_cast<float>((*data.ints)[i] - offset) * (*scale->floats)[c];
    }
    return one(floatConstant(data.dims, std::move(values)));
}

} // namespace stagecraft::fold_rules
