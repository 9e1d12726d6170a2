#include "device/cpu/onednn/elementwise_functions.h"

#include "device/cpu/onednn/flat_kernels.h"
#include "operators/generic_operands.h"
#include "operators/values/constant.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace stagecraft::cpu {
namespace {

using generic::integer;
using generic::real;
using generic::text;

template <typename Step>
ElementwiseFunction folded(Step step)
{
    return [step](std::span<const float> x) {
        float result = x[0];
        for (std::size_t i = 1; i < x.size(); ++i)
            result = step(result, x[i]);
        return result;
    };
}

float softplus(float x)
{
    return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x))); // exp never overflows
}

const std::map<std::string, ElementwiseFunction> &plainFunctions()
{
    static const std::map<std::string, ElementwiseFunction> table{
        {"Add", folded([](float a, float b) { return a + b; })},
        {"Sum", folded([](float a, float b) { return a + b; })},
        {"Sub", folded([](float a, float b) { return a - b; })},
        {"Mul", folded([](float a, float b) { return a * b; })},
        {"Div", folded([](float a, float b) { return a / b; })},
        {"Pow", folded([](float a, float b) { return std::pow(a, b); })},
        {"Min", folded([](float a, float b) { return smaller(a, b); })},
        {"Max", folded([](float a, float b) { return larger(a, b); })},
        {"PRelu", folded([](float a, float b) { return a >= 0 ? a : a * b; })},
        {"Where", [](std::span<const float> x) { return x[0] != 0 ? x[1] : x[2]; }},
        {"Exp", [](std::span<const float> x) { return std::exp(x[0]); }},
        {"Log", [](std::span<const float> x) { return std::log(x[0]); }},
        {"Sqrt", [](std::span<const float> x) { return std::sqrt(x[0]); }},
        {"Reciprocal", [](std::span<const float> x) { return 1 / x[0]; }},
        {"Abs", [](std::span<const float> x) { return std::abs(x[0]); }},
        {"Neg", [](std::span<const float> x) { return -x[0]; }},
        {"Floor", [](std::span<const float> x) { return std::floor(x[0]); }},
        {"Ceil", [](std::span<const float> x) { return std::ceil(x[0]); }},
        {"Round", [](std::span<const float> x) { return std::nearbyint(x[0]); }},
        {"Sign",
         [](std::span<const float> x) {
             return std::isnan(x[0]) ? x[0] : static_cast<float>((x[0] > 0) - (x[0] < 0));
         }},
        {"Erf", [](std::span<const float> x) { return std::erf(x[0]); }},
        {"Sin", [](std::span<const float> x) { return std::sin(x[0]); }},
        {"Cos", [](std::span<const float> x) { return std::cos(x[0]); }},
        {"Tan", [](std::span<const float> x) { return std::tan(x[0]); }},
        {"Asin", [](std::span<const float> x) { return std::asin(x[0]); }},
        {"Acos", [](std::span<const float> x) { return std::acos(x[0]); }},
        {"Atan", [](std::span<const float> x) { return std::atan(x[0]); }},
        {"Sinh", [](std::span<const float> x) { return std::sinh(x[0]); }},
        {"Cosh", [](std::span<const float> x) { return std::cosh(x[0]); }},
        {"Softplus", [](std::span<const float> x) { return softplus(x[0]); }},
        {"Softsign", [](std::span<const float> x) { return x[0] / (1 + std::abs(x[0])); }},
    };
    return table;
}

using FromAttributes = ElementwiseFunction (*)(const Operator &);

ElementwiseFunction mean(const Operator &)
{
    return [](std::span<const float> x) {
        float sum = 0;
        for (const float value : x)
            sum += value;
        return sum / static_cast<float>(x.size());
    };
}

// With fmod = 0, Mod is for integers only.
ElementwiseFunction mod(const Operator &op)
{
    if (integer(op, "fmod") == 0)
        return {};
    return [](std::span<const float> x) { return std::fmod(x[0], x[1]); };
}

ElementwiseFunction selu(const Operator &op)
{
    return [alpha = real(op, "alpha"), gamma = real(op, "gamma")](std::span<const float> x) {
        return gamma * (x[0] > 0 ? x[0] : alpha * std::expm1(x[0]));
    };
}

ElementwiseFunction celu(const Operator &op)
{
    return [alpha = real(op, "alpha")](std::span<const float> x) {
        return x[0] > 0 ? x[0] : alpha * std::expm1(x[0] / alpha);
    };
}

ElementwiseFunction thresholdedRelu(const Operator &op)
{
    return [alpha = real(op, "alpha")](std::span<const float> x) { return x[0] > alpha ? x[0] : 0; };
}

ElementwiseFunction shrink(const Operator &op)
{
    return [lambda = real(op, "lambd"), bias = real(op, "bias")](std::span<const float> x) {
        return x[0] < -lambda ? x[0] + bias : x[0] > lambda ? x[0] - bias : 0;
    };
}

// Narrow real numbers are held as float32.
ElementwiseFunction cast(const Operator &op)
{
    const DataType to = dataTypeOf(static_cast<int>(integer(op, "to")));
    if (isNarrowFloat(to))
        return [to](std::span<const float> x) { return roundedTo(to, x[0]); };
    return to == DataType::Float32 ? ElementwiseFunction([](std::span<const float> x) { return x[0]; })
                                   : ElementwiseFunction();
}

// The erf form is an activation of its own kind.
ElementwiseFunction gelu(const Operator &op)
{
    if (text(op, "approximate") != "tanh")
        return {};
    return [](std::span<const float> x) {
        const float slope = std::sqrt(2 / std::numbers::pi_v<float>);
        return 0.5F * x[0] * (1 + std::tanh(slope * (x[0] + 0.044715F * x[0] * x[0] * x[0])));
    };
}

} // namespace

ElementwiseFunction elementwiseFunction(const Operator &op)
{
    static const std::map<std::string, FromAttributes> table{
        {"Mean", mean},     {"Mod", mod},   {"Selu", selu}, {"Celu", celu}, {"ThresholdedRelu", thresholdedRelu},
        {"Shrink", shrink}, {"Gelu", gelu}, {"Cast", cast}};
    if (const auto found = table.find(op.type); found != table.end())
        return found->second(op);
    const auto found = plainFunctions().find(op.type);
    return found == plainFunctions().end() ? ElementwiseFunction() : found->second;
}

} // namespace stagecraft::cpu
