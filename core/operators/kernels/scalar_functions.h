#pragma once

// What element-wise operators compute, of one number of each operand: the one definition, which constant folding, the
// cpu device and exported C++ projects read. There are tables for float and double, and for the functions that integers
// have of their own; the others they get by way of double. Integers wrap around. What is no number stays so, unless a
// condition of ONNX's definition decides otherwise. Source: the ONNX operator specification.

#include "operators/schema.h"
#include "operators/values/attribute_value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stagecraft::kernels {

// The attributes that functions have.
template <typename T>
struct FunctionConstants {
    T a = 0;                   // alpha, or lambd of Shrink
    T b = 0;                   // beta, gamma of Selu, or bias of Shrink
    bool isSecondForm = false; // the tanh of Gelu, the fmod of Mod, to the right for BitShift
};

template <typename T>
FunctionConstants<T> functionConstants(std::string_view type, const std::vector<NamedAttribute> &attributes)
{
    const auto value = [&](std::string_view name) {
        const AttributeValue *given = find(attributes, name);
        return given ? given : attributeDefault(type, name);
    };
    const auto number = [&](std::string_view name) {
        const AttributeValue *of = value(name);
        return static_cast<T>(of ? asReal(*of, 0) : 0);
    };
    const auto isText = [&](std::string_view name, std::string_view text) {
        const AttributeValue *of = value(name);
        const auto *held = of ? std::get_if<std::string>(of) : nullptr;
        return held && *held == text;
    };
    const bool isSecond = isText("approximate", "tanh") || isText("direction", "RIGHT") || number("fmod") != T{};
    if (type == "Shrink")
        return {number("lambd"), number("bias"), isSecond};
    return {number("alpha"), number(type == "Selu" ? "gamma" : "beta"), isSecond};
}

template <typename T>
using UnaryFunction = T (*)(T x, const FunctionConstants<T> &of);
template <typename T>
using BinaryFunction = T (*)(T x, T y, const FunctionConstants<T> &of);
template <typename Function>
using FunctionTable = std::map<std::string_view, Function>;

// Null if there is none for the type.
template <typename Function>
[[nodiscard]] Function functionIn(const FunctionTable<Function> &table, std::string_view type)
{
    const auto found = table.find(type);
    return found == table.end() ? nullptr : found->second;
}

template <typename T>
[[nodiscard]] bool isNotANumber(T x)
{
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(x);
    return false;
}
template <typename T>
[[nodiscard]] T smaller(T x, T y)
{
    return x < y || isNotANumber(x) ? x : y;
}
template <typename T>
[[nodiscard]] T larger(T x, T y)
{
    return x > y || isNotANumber(x) ? x : y;
}

// A Clip. A bound that is no number is none; of bounds that cross, the upper one holds.
template <typename T>
[[nodiscard]] T clipped(T x, T low, T high)
{
    return std::min(std::max(x, low), high);
}

// A Where.
template <typename T>
[[nodiscard]] T chosen(bool condition, T yes, T no)
{
    return condition ? yes : no;
}

// A sum, difference or product.
template <typename T, typename Step>
[[nodiscard]] T wrapped(T x, T y, const Step &step)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(step(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
    else
        return step(x, y);
}

template <typename T>
[[nodiscard]] T sigmoid(T x)
{
    return 1 / (1 + std::exp(-x));
}

template <typename T>
[[nodiscard]] T softplus(T x)
{
    return std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x))); // exp never overflows
}

template <typename T>
[[nodiscard]] T gelu(T x, const FunctionConstants<T> &of)
{
    if (of.isSecondForm)
        return T(0.5) * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<T>) * (x + T(0.044715) * x * x * x)));
    return T(0.5) * x * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
}

// The remainder has the sign of y, in the second form that of x.
template <typename T>
[[nodiscard]] T remainder(T x, T y, const FunctionConstants<T> &of)
{
    T rest{};
    if constexpr (std::is_floating_point_v<T>)
        rest = std::fmod(x, y);
    else if (y != T{} && !(std::is_signed_v<T> && y == static_cast<T>(-1))) // of the least one x % -1 is undefined
        rest = static_cast<T>(x % y);
    return of.isSecondForm || rest == T{} || (rest < T{}) == (y < T{}) ? rest : static_cast<T>(rest + y);
}

// Of integers: towards zero. Dividing by zero gives zero, as there is no other number for it.
template <typename T>
[[nodiscard]] T quotient(T x, T y)
{
    if constexpr (std::is_floating_point_v<T>)
        return x / y;
    else if (std::is_signed_v<T> && y == static_cast<T>(-1)) // the least one wraps around
        return wrapped(T{}, x, std::minus<>());
    else
        return y == T{} ? T{} : static_cast<T>(x / y);
}

template <typename T>
[[nodiscard]] T shifted(T x, T by, bool isRight)
{
    const bool isBeyond = by < T{} || static_cast<std::uint64_t>(by) >= sizeof(T) * 8; // all bits leave
    if (isRight)
        return isBeyond ? static_cast<T>(x < T{} ? -1 : 0) : static_cast<T>(x >> by);
    return isBeyond ? T{} : static_cast<T>(static_cast<std::uint64_t>(x) << by);
}

template <typename T>
[[nodiscard]] const FunctionTable<UnaryFunction<T>> &unaryFunctions()
{
    using Constants = FunctionConstants<T>;
    if constexpr (std::is_integral_v<T>) {
        static const FunctionTable<UnaryFunction<T>> table{
            {"Abs", [](T x, const Constants &) { return x < T{} ? wrapped(T{}, x, std::minus<>()) : x; }},
            {"BitwiseNot", [](T x, const Constants &) { return static_cast<T>(~x); }},
            {"Neg", [](T x, const Constants &) { return wrapped(T{}, x, std::minus<>()); }},
            {"Relu", [](T x, const Constants &) { return std::max(x, T{}); }},
            {"Sign", [](T x, const Constants &) { return static_cast<T>((x > T{}) - (x < T{})); }},
        };
        return table;
    } else {
        static const FunctionTable<UnaryFunction<T>> table{
            {"Abs", [](T x, const Constants &) { return std::abs(x); }},
            {"Acos", [](T x, const Constants &) { return std::acos(x); }},
            {"Acosh", [](T x, const Constants &) { return std::acosh(x); }},
            {"Asin", [](T x, const Constants &) { return std::asin(x); }},
            {"Asinh", [](T x, const Constants &) { return std::asinh(x); }},
            {"Atan", [](T x, const Constants &) { return std::atan(x); }},
            {"Atanh", [](T x, const Constants &) { return std::atanh(x); }},
            {"Ceil", [](T x, const Constants &) { return std::ceil(x); }},
            {"Celu", [](T x, const Constants &of) { return x > 0 ? x : of.a * std::expm1(x / of.a); }},
            {"Cos", [](T x, const Constants &) { return std::cos(x); }},
            {"Cosh", [](T x, const Constants &) { return std::cosh(x); }},
            {"Elu", [](T x, const Constants &of) { return x > 0 ? x : of.a * std::expm1(x); }},
            {"Erf", [](T x, const Constants &) { return std::erf(x); }},
            {"Exp", [](T x, const Constants &) { return std::exp(x); }},
            {"Floor", [](T x, const Constants &) { return std::floor(x); }},
            {"Gelu", gelu<T>},
            {"HardSigmoid", [](T x, const Constants &of) { return clipped(of.a * x + of.b, T(0), T(1)); }},
            {"HardSwish", [](T x, const Constants &) { return x * clipped(x / 6 + T(0.5), T(0), T(1)); }},
            {"LeakyRelu", [](T x, const Constants &of) { return x < 0 ? of.a * x : x; }},
            {"Log", [](T x, const Constants &) { return std::log(x); }},
            {"Mish", [](T x, const Constants &) { return x * std::tanh(softplus(x)); }},
            {"Neg", [](T x, const Constants &) { return -x; }},
            {"Reciprocal", [](T x, const Constants &) { return 1 / x; }},
            {"Relu", [](T x, const Constants &) { return x < 0 ? 0 : x; }},
            {"Round", [](T x, const Constants &) { return std::nearbyint(x); }},
            {"Selu", [](T x, const Constants &of) { return of.b * (x > 0 ? x : of.a * std::expm1(x)); }},
            {"Shrink", [](T x, const Constants &of) { return x < -of.a  ? x + of.b
                                                             : x > of.a ? x - of.b
                                                                        : 0; }},
            {"Sigmoid", [](T x, const Constants &) { return sigmoid(x); }},
            {"Sign", [](T x, const Constants &) { return std::isnan(x) ? x : static_cast<T>((x > 0) - (x < 0)); }},
            {"Sin", [](T x, const Constants &) { return std::sin(x); }},
            {"Sinh", [](T x, const Constants &) { return std::sinh(x); }},
            {"Softplus", [](T x, const Constants &) { return softplus(x); }},
            {"Softsign", [](T x, const Constants &) { return x / (1 + std::abs(x)); }},
            {"Sqrt", [](T x, const Constants &) { return std::sqrt(x); }},
            {"Swish", [](T x, const Constants &of) { return x * sigmoid(of.a * x); }},
            {"Tan", [](T x, const Constants &) { return std::tan(x); }},
            {"Tanh", [](T x, const Constants &) { return std::tanh(x); }},
            {"ThresholdedRelu", [](T x, const Constants &of) { return x > of.a ? x : 0; }},
        };
        return table;
    }
}

// Those of more operands are taken from left to right; a Mean is the Sum divided by their number.
template <typename T>
[[nodiscard]] const FunctionTable<BinaryFunction<T>> &binaryFunctions()
{
    using Constants = FunctionConstants<T>;
    static const FunctionTable<BinaryFunction<T>> table = [] {
        const auto sum = [](T x, T y, const Constants &) { return wrapped(x, y, std::plus<>()); };
        FunctionTable<BinaryFunction<T>> made{
            {"Add", sum},
            {"Div", [](T x, T y, const Constants &) { return quotient(x, y); }},
            {"Max", [](T x, T y, const Constants &) { return larger(x, y); }},
            {"Mean", sum},
            {"Min", [](T x, T y, const Constants &) { return smaller(x, y); }},
            {"Mod", remainder<T>},
            {"Mul", [](T x, T y, const Constants &) { return wrapped(x, y, std::multiplies<>()); }},
            {"PRelu", [](T x, T y, const Constants &) { return x < T{} ? wrapped(x, y, std::multiplies<>()) : x; }},
            {"Sub", [](T x, T y, const Constants &) { return wrapped(x, y, std::minus<>()); }},
            {"Sum", sum},
        };
        if constexpr (std::is_integral_v<T>) {
            made["BitShift"] = [](T x, T y, const Constants &of) { return shifted(x, y, of.isSecondForm); };
            made["BitwiseAnd"] = [](T x, T y, const Constants &) { return static_cast<T>(x & y); };
            made["BitwiseOr"] = [](T x, T y, const Constants &) { return static_cast<T>(x | y); };
            made["BitwiseXor"] = [](T x, T y, const Constants &) { return static_cast<T>(x ^ y); };
        } else {
            made["Pow"] = [](T x, T y, const Constants &) { return std::pow(x, y); };
        }
        return made;
    }();
    return table;
}

} // namespace stagecraft::kernels
