#include "operators/fold_rules.h"
#include "operators/shape_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

namespace stagecraft::fold_rules {
namespace {

using shape_rules::broadcastDims;

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

Folded cast(const NodeFacts &node)
{
    const auto to = static_cast<int>(node.integer("to"));
    const Constant &from = *node.constant(0);
    Constant result{from.dims, dataTypeOf(to), nullptr, to};
    if (result.type == DataType::Other)
        return std::nullopt;
    if (isFloatingPoint(result.type))
        result.values = from.isFloat() ? from.values : shared(std::vector<float>(*from.asFloats()));
    else if (result.type == DataType::Bool)
        result.values = truthsOf(*from.values);
    else
        result.values = shared(from.asInts());
    return one(std::move(result));
}

std::optional<std::int64_t> rangeLength(const NodeFacts &node)
{
    double ends[3];
    for (std::size_t i = 0; i < 3; ++i) {
        const Constant *end = node.constant(i);
        if (!end || end->size() != 1)
            return std::nullopt;
        ends[i] =
            end->isFloat() ? static_cast<double>(end->asFloats()->front()) : static_cast<double>(end->asInts().front());
    }
    const double length = std::ceil((ends[1] - ends[0]) / ends[2]);
    if (!(std::abs(length) <= static_cast<double>(kMaxFolded))) // false for NaN
        return std::nullopt;
    return static_cast<std::int64_t>(std::max(length, 0.0));
}

Folded range(const NodeFacts &node)
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
    const std::int64_t start = node.constant(0)->asInts().front();
    const std::int64_t step = node.constant(2)->asInts()[0];
    std::vector<std::int64_t> values(static_cast<std::size_t>(*length));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(step));
    return one(intConstant({*length}, std::move(values)));
}

Folded binary(const NodeFacts &node)
{
    const Constant *a = node.constant(0);
    const Constant *b = node.constant(1);
    const bool isTruncated = node.integer("fmod") != 0; // remainder with the sign of the dividend, as in C
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
        auto values = combine(*a->asFloats(), *b->asFloats(), floatResult);
        return values.size() == ia->size() ? one(floatConstant(*dims, std::move(values))) : std::nullopt;
    }
    auto values = combine(a->asInts(), b->asInts(), intResult);
    return values.size() == ia->size() ? one(intConstant(*dims, std::move(values))) : std::nullopt;
}

Folded unary(const NodeFacts &node)
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
    if (!from.isFloat()) {
        if (node.type != "Not" && node.type != "Neg")
            return std::nullopt;
        std::vector<std::int64_t> values = from.asInts();
        const bool isNot = node.type == "Not";
        std::ranges::transform(values, values.begin(), [isNot](std::int64_t x) {
            return isNot ? std::int64_t{x == 0} : static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
        });
        return one(intConstant(from.dims, std::move(values)));
    }
    const auto rule = rules.find(node.type);
    if (rule == rules.end())
        return std::nullopt;
    std::vector<float> values(*from.asFloats());
    std::ranges::transform(values, values.begin(), rule->second);
    return one(floatConstant(from.dims, std::move(values)));
}

Folded where(const NodeFacts &node)
{
    const Constant *condition = node.constant(0);
    const Constant *yes = node.constant(1);
    const Constant *no = node.constant(2);
    if (condition->isFloat() || yes->isFloat() || no->isFloat())
        return std::nullopt;
    const auto both = broadcastDims(yes->dims, no->dims);
    const auto dims = both ? broadcastDims(condition->dims, *both) : std::nullopt;
    if (!dims || !foldableCount(*dims))
        return std::nullopt;
    const auto ic = broadcastIndices(condition->dims, *dims);
    const auto iy = broadcastIndices(yes->dims, *dims);
    const auto in = broadcastIndices(no->dims, *dims);
    const auto truths = condition->asInts();
    const auto yesValues = yes->asInts();
    const auto noValues = no->asInts();
    std::vector<std::int64_t> values(ic->size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool chosen = truths[static_cast<std::size_t>((*ic)[i])] != 0;
        values[i] =
            chosen ? yesValues[static_cast<std::size_t>((*iy)[i])] : noValues[static_cast<std::size_t>((*in)[i])];
    }
    return one(intConstant(*dims, std::move(values)));
}

Folded reduce(const NodeFacts &node)
{
    const Constant &from = *node.constant(0);
    const auto axes = node.integersFrom("axes", 1);
    // Only reductions over all elements: that is how sizes are computed.
    if (from.isFloat() || from.dims.size() > 1 || (axes.given && (!axes.values || axes.values->size() > 1)) ||
        node.integer("noop_with_empty_axes") != 0)
        return std::nullopt;
    std::optional<std::int64_t> result;
    const std::string rule = node.type == "ReduceProd"  ? "Mul"
                             : node.type == "ReduceSum" ? "Add"
                             : node.type == "ReduceMin" ? "Min"
                                                        : "Max";
    for (const std::int64_t value : from.asInts())
        result = result ? intResult(rule, *result, value) : std::optional(value);
    if (!result)
        return std::nullopt;
    const bool keep = node.integer("keepdims") != 0 && !from.dims.empty();
    return one(intConstant(keep ? Dims{1} : Dims{}, {*result}));
}

// For weights of quantised models: (x - zero point) * scale, per tensor or along an axis.
Folded dequantize(const NodeFacts &node)
{
    const Constant &data = *node.constant(0);
    const Constant *scale = node.constant(1);
    const Constant *zero = node.constant(2);
    if (node.integer("block_size") != 0 || (scale && scale->dims.size() > 1))
        return std::nullopt;
    if (data.isFloat() || !scale || !scale->isFloat() || (zero && (zero->isFloat() || zero->size() != scale->size())))
        return std::nullopt;
    const auto axis = axisWithin(node.integer("axis"), data.dims.size());
    const bool perTensor = scale->size() == 1;
    if (!perTensor && (!axis || data.dims[*axis] != static_cast<std::int64_t>(scale->size())))
        return std::nullopt;
    const std::int64_t inner = perTensor ? 1 : strides(data.dims)[*axis];
    const auto integers = data.asInts();
    const auto scales = scale->asFloats();
    const auto offsets = zero ? zero->asInts() : std::vector<std::int64_t>(scale->size());
    std::vector<float> values(data.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t c = perTensor ? 0 : i / static_cast<std::size_t>(inner) % scale->size();
        values[i] = static_cast<float>(integers[i] - offsets[c]) * (*scales)[c];
    }
    return one(floatConstant(data.dims, std::move(values)));
}

} // namespace stagecraft::fold_rules
