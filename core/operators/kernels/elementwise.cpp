// Every element by itself. Real functions are computed in double precision and rounded once.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"
#include "operators/values/narrow_floats.h"

#include <array>
#include <functional>
#include <map>
#include <numbers>

namespace stagecraft::kernels {
namespace {

// The attributes that functions have, each under its own name.
struct Constants {
    double a = 0;
    double b = 0;
    bool isApproximate = false;
};

using Real = double (*)(double x, const Constants &of);

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

double softplus(double x)
{
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double gelu(double x, const Constants &of)
{
    if (of.isApproximate)
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}

double shrunk(double x, const Constants &of)
{
    return x < -of.a ? x + of.b : x > of.a ? x - of.b : 0;
}

const std::map<std::string_view, Real> &realFunctions()
{
    static const std::map<std::string_view, Real> table{
        {"Abs", [](double x, const Constants &) { return std::abs(x); }},
        {"Acos", [](double x, const Constants &) { return std::acos(x); }},
        {"Acosh", [](double x, const Constants &) { return std::acosh(x); }},
        {"Asin", [](double x, const Constants &) { return std::asin(x); }},
        {"Asinh", [](double x, const Constants &) { return std::asinh(x); }},
        {"Atan", [](double x, const Constants &) { return std::atan(x); }},
        {"Atanh", [](double x, const Constants &) { return std::atanh(x); }},
        {"Ceil", [](double x, const Constants &) { return std::ceil(x); }},
        {"Celu", [](double x, const Constants &of) { return x > 0 ? x : of.a * std::expm1(x / of.a); }},
        {"Cos", [](double x, const Constants &) { return std::cos(x); }},
        {"Cosh", [](double x, const Constants &) { return std::cosh(x); }},
        {"Elu", [](double x, const Constants &of) { return x > 0 ? x : of.a * std::expm1(x); }},
        {"Erf", [](double x, const Constants &) { return std::erf(x); }},
        {"Exp", [](double x, const Constants &) { return std::exp(x); }},
        {"Floor", [](double x, const Constants &) { return std::floor(x); }},
        {"Gelu", gelu},
        {"HardSigmoid", [](double x, const Constants &of) { return std::clamp(of.a * x + of.b, 0.0, 1.0); }},
        {"HardSwish", [](double x, const Constants &) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
        {"LeakyRelu", [](double x, const Constants &of) { return x < 0 ? of.a * x : x; }},
        {"Log", [](double x, const Constants &) { return std::log(x); }},
        {"Mish", [](double x, const Constants &) { return x * std::tanh(softplus(x)); }},
        {"Neg", [](double x, const Constants &) { return -x; }},
        {"Reciprocal", [](double x, const Constants &) { return 1 / x; }},
        {"Relu", [](double x, const Constants &) { return x < 0 ? 0 : x; }},
        {"Round", [](double x, const Constants &) { return std::nearbyint(x); }},
        {"Selu", [](double x, const Constants &of) { return of.b * (x > 0 ? x : of.a * std::expm1(x)); }},
        {"Shrink", shrunk},
        {"Sigmoid", [](double x, const Constants &) { return sigmoid(x); }},
        {"Sign", [](double x, const Constants &) { return std::isnan(x) ? x : (x > 0) - (x < 0); }},
        {"Sin", [](double x, const Constants &) { return std::sin(x); }},
        {"Sinh", [](double x, const Constants &) { return std::sinh(x); }},
        {"Softplus", [](double x, const Constants &) { return softplus(x); }},
        {"Softsign", [](double x, const Constants &) { return x / (1 + std::abs(x)); }},
        {"Sqrt", [](double x, const Constants &) { return std::sqrt(x); }},
        {"Swish", [](double x, const Constants &of) { return x * sigmoid(of.a * x); }},
        {"Tan", [](double x, const Constants &) { return std::tan(x); }},
        {"Tanh", [](double x, const Constants &) { return std::tanh(x); }},
        {"ThresholdedRelu", [](double x, const Constants &of) { return x > of.a ? x : 0; }},
    };
    return table;
}

Constants constantsOf(const NodeFacts &node)
{
    if (node.type == "Shrink")
        return {node.real("lambd"), node.real("bias")};
    if (node.type == "Gelu")
        return {0, 0, node.text("approximate") == "tanh"};
    const auto read = [&](const char *name) {
        return isKnownAttribute(node.type, name) ? static_cast<double>(node.real(name)) : 0.0;
    };
    return {read("alpha"), node.type == "Selu" ? read("gamma") : read("beta")};
}

template <typename T>
T wholeFunction(const std::string &type, T x)
{
    if (type == "Abs")
        return numberAs<T>(x < T{} ? T(0) - x : x);
    if (type == "Neg")
        return static_cast<T>(T(0) - x);
    if (type == "Sign")
        return static_cast<T>((x > T{}) - (x < T{}));
    if (type == "Relu")
        return std::max(x, T{});
    return static_cast<T>(~x); // BitwiseNot
}

// Of two integers. Dividing by zero gives zero, as there is no other number for it.
template <typename T>
T divided(const std::string &type, bool isTruncated, T x, T y)
{
    const bool overflows = std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == static_cast<T>(-1);
    if (y == T{} || overflows)
        return type == "Div" && overflows ? x : T{};
    if (type == "Div")
        return static_cast<T>(x / y);
    const T rest = static_cast<T>(x % y);
    return isTruncated || rest == T{} || (rest < T{}) == (y < T{}) ? rest : static_cast<T>(rest + y);
}

// Of two numbers. Integers wrap around.
template <typename T>
T combined(const std::string &type, bool isTruncated, T x, T y)
{
    if (type == "Add" || type == "Sum" || type == "Mean")
        return static_cast<T>(x + y);
    if (type == "Sub")
        return static_cast<T>(x - y);
    if (type == "Mul")
        return static_cast<T>(x * y);
    if (type == "Min")
        return smaller(x, y);
    if (type == "Max")
        return larger(x, y);
    if constexpr (std::is_floating_point_v<T>) {
        if (type == "Div")
            return x / y;
        const T rest = std::fmod(x, y);
        return isTruncated || rest == 0 || (rest < 0) == (y < 0) ? rest : rest + y;
    } else {
        if (type == "Div" || type == "Mod")
            return divided(type, isTruncated, x, y);
        if (type == "BitwiseAnd")
            return static_cast<T>(x & y);
        if (type == "BitwiseOr")
            return static_cast<T>(x | y);
        return static_cast<T>(x ^ y); // BitwiseXor
    }
}

template <typename T>
T shifted(T x, T by, bool isLeft)
{
    using Bits = std::make_unsigned_t<T>;
    const bool isBeyond = by < T{} || static_cast<std::uint64_t>(by) >= sizeof(T) * 8; // all bits leave
    if (isLeft)
        return isBeyond ? T{} : static_cast<T>(static_cast<Bits>(x) << by);
    return isBeyond ? static_cast<T>(x < T{} ? -1 : 0) : static_cast<T>(x >> by);
}

// Calls combine(to, x, y) over the broadcast of two tensors to the output's shape.
template <typename From, typename To, typename Combine>
Result<void> overPairs(const TensorView &a, const TensorView &b, const TensorView &to, const Combine &combine)
{
    const auto strideA = broadcastStrides(a.dims, to.dims);
    const auto strideB = broadcastStrides(b.dims, to.dims);
    if (!strideA || !strideB)
        return refuse("its operands have shapes that do not fit");
    const auto x = a.as<From>();
    const auto y = b.as<From>();
    const auto z = to.as<To>();
    forElements<2>(to.dims, {*strideA, *strideB}, [&](std::int64_t i, const auto &at) {
        z[static_cast<std::size_t>(i)] =
            combine(x[static_cast<std::size_t>(at[0])], y[static_cast<std::size_t>(at[1])]);
    });
    return {};
}

bool sameTypes(const KernelCall &call)
{
    return std::ranges::all_of(call.inputs,
                               [&](const auto &input) { return !input || input->type == call.in(0).type; });
}

} // namespace

Result<void> unary(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const TensorView &to = call.out();
    const auto found = realFunctions().find(call.node.type);
    bool done = false;
    if (found != realFunctions().end()) {
        done = forReal(from.type, [&]<typename T>() {
            const Constants constants = constantsOf(call.node);
            std::ranges::transform(from.as<T>(), to.as<T>().begin(), [&](T x) {
                return static_cast<T>(found->second(static_cast<double>(x), constants));
            });
        });
    }
    const bool isWhole = call.node.type == "Abs" || call.node.type == "Neg" || call.node.type == "Sign" ||
                         call.node.type == "Relu" || call.node.type == "BitwiseNot";
    done = done || (isWhole && forInteger(from.type, [&]<typename T>() {
                        std::ranges::transform(from.as<T>(), to.as<T>().begin(),
                                               [&](T x) { return wholeFunction(call.node.type, x); });
                    }));
    // The other functions are of real numbers; some files give them integers, whose nearest result they get.
    done = done || (found != realFunctions().end() && forInteger(from.type, [&]<typename T>() {
                        const Constants constants = constantsOf(call.node);
                        std::ranges::transform(from.as<T>(), to.as<T>().begin(), [&](T x) {
                            return numberAs<T>(found->second(static_cast<double>(x), constants));
                        });
                    }));
    return done ? Result<void>() : noTypes(call);
}

Result<void> arithmetic(KernelCall &call)
{
    const std::string &type = call.node.type;
    const TensorView &to = call.out();
    if (!sameTypes(call))
        return noTypes(call);
    const bool isTruncated = type == "Mod" && call.node.integer("fmod") != 0;
    const bool isBits = type.starts_with("Bitwise") || type == "BitShift";
    Result<void> done;
    const auto run = [&]<typename T>() {
        if constexpr (std::is_integral_v<T>) {
            if (type == "BitShift") {
                const bool isLeft = call.node.text("direction") == "LEFT";
                done = overPairs<T, T>(call.in(0), call.in(1), to, [&](T x, T y) { return shifted(x, y, isLeft); });
                return;
            }
        }
        const auto combine = [&](T x, T y) { return combined(type, isTruncated, x, y); };
        if (call.inputs.size() == 1)
            std::ranges::copy(call.in(0).as<T>(), to.as<T>().begin());
        std::vector<T> partial; // the operands so far, in the shape of the output
        for (std::size_t i = 1; i < call.inputs.size() && done; ++i) {
            TensorView first = call.in(0);
            if (i > 1) {
                partial.assign(to.as<T>().begin(), to.as<T>().end());
                first = {to.type, to.dims, reinterpret_cast<std::byte *>(partial.data())};
            }
            done = overPairs<T, T>(first, call.in(i), to, combine);
        }
        if (type == "Mean") {
            for (T &value : to.as<T>())
                value = static_cast<T>(value / static_cast<T>(call.inputs.size()));
        }
    };
    const bool known = (!isBits && forReal(to.type, run)) || forInteger(to.type, run);
    return known ? done : noTypes(call);
}

Result<void> comparison(KernelCall &call)
{
    const std::string &type = call.node.type;
    if (!sameTypes(call))
        return noTypes(call);
    Result<void> done;
    const bool known = forAny(call.in(0).type, [&]<typename T>() {
        const auto with = [&](const auto &compare) {
            done = overPairs<T, bool>(call.in(0), call.in(1), call.out(), compare);
        };
        if (type == "Equal")
            with(std::equal_to<T>());
        else if (type == "Greater")
            with(std::greater<T>());
        else if (type == "GreaterOrEqual")
            with(std::greater_equal<T>());
        else if (type == "Less")
            with(std::less<T>());
        else
            with(std::less_equal<T>());
    });
    return known ? done : noTypes(call);
}

Result<void> power(KernelCall &call)
{
    const TensorView &to = call.out();
    const auto strideA = broadcastStrides(call.in(0).dims, to.dims);
    const auto strideB = broadcastStrides(call.in(1).dims, to.dims);
    if (!strideA || !strideB)
        return refuse("its operands have shapes that do not fit");
    const bool known = forNumber(to.type, [&]<typename T>() {
        forNumber(call.in(1).type, [&]<typename E>() {
            const auto x = call.in(0).as<T>();
            const auto y = call.in(1).as<E>();
            forElements<2>(to.dims, {*strideA, *strideB}, [&](std::int64_t i, const auto &at) {
                to.as<T>()[static_cast<std::size_t>(i)] =
                    numberAs<T>(std::pow(static_cast<double>(x[static_cast<std::size_t>(at[0])]),
                                         static_cast<double>(y[static_cast<std::size_t>(at[1])])));
            });
        });
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> logic(KernelCall &call)
{
    const std::string &type = call.node.type;
    const auto isTruth = [](const auto &input) { return input && input->type == DataType::Bool; };
    if (!std::ranges::all_of(call.inputs, isTruth))
        return noTypes(call);
    const TensorView &to = call.out();
    if (type == "Not") {
        std::ranges::transform(call.in(0).as<bool>(), to.as<bool>().begin(), std::logical_not<>());
        return {};
    }
    if (type == "And")
        return overPairs<bool, bool>(call.in(0), call.in(1), to, std::logical_and<>());
    if (type == "Or")
        return overPairs<bool, bool>(call.in(0), call.in(1), to, std::logical_or<>());
    return overPairs<bool, bool>(call.in(0), call.in(1), to, std::not_equal_to<>());
}

Result<void> choice(KernelCall &call)
{
    const TensorView &to = call.out();
    std::array<Dims, 3> strides;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto fitting = broadcastStrides(call.in(i).dims, to.dims);
        if (!fitting)
            return refuse("its operands have shapes that do not fit");
        strides[i] = *fitting;
    }
    if (call.in(0).type != DataType::Bool || call.in(1).type != to.type || call.in(2).type != to.type)
        return noTypes(call);
    const auto condition = call.in(0).as<bool>();
    forBytes(to.type, [&]<typename T>() {
        const auto yes = call.in(1).as<T>();
        const auto no = call.in(2).as<T>();
        forElements<3>(to.dims, strides, [&](std::int64_t i, const auto &at) {
            to.as<T>()[static_cast<std::size_t>(i)] = condition[static_cast<std::size_t>(at[0])]
                                                          ? yes[static_cast<std::size_t>(at[1])]
                                                          : no[static_cast<std::size_t>(at[2])];
        });
    });
    return {};
}

Result<void> clip(KernelCall &call)
{
    const TensorView &to = call.out();
    if (!sameTypes(call))
        return noTypes(call);
    const bool known = forNumber(to.type, [&]<typename T>() {
        const auto bound = [&](std::size_t place, const char *name, T fallback) {
            if (call.has(place) && call.in(place).size() > 0)
                return numberAs<T>(call.in(place).as<T>()[0]);
            return call.node.gives(name) ? numberAs<T>(call.node.real(name)) : fallback;
        };
        const T low = bound(1, "min", std::numeric_limits<T>::lowest());
        const T high = bound(2, "max", std::numeric_limits<T>::max());
        std::ranges::transform(call.in(0).as<T>(), to.as<T>().begin(),
                               [&](T x) { return std::min(std::max(x, low), high); });
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> cast(KernelCall &call)
{
    const TensorView &to = call.out();
    bool known = false;
    forAny(to.type, [&]<typename To>() {
        known = forAny(call.in(0).type, [&]<typename From>() {
            std::ranges::transform(call.in(0).as<From>(), to.as<To>().begin(), [](From x) { return numberAs<To>(x); });
        });
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> bitCast(KernelCall &call)
{
    // Narrow real numbers are not held in their own bits.
    const bool isHeld = !isNarrowFloat(call.node.inputs[0]->type) && !isNarrowFloat(resultType(call.node, 0));
    if (!isHeld || sizeBytes(call.in(0).type) != sizeBytes(call.out().type))
        return noTypes(call);
    const auto bytes = call.in(0).size() * sizeBytes(call.in(0).type);
    std::copy_n(call.in(0).data, bytes, call.out().data);
    return {};
}

Result<void> slopes(KernelCall &call)
{
    if (!sameTypes(call))
        return noTypes(call);
    Result<void> done;
    const bool known = forNumber(call.out().type, [&]<typename T>() {
        done = overPairs<T, T>(call.in(0), call.in(1), call.out(),
                               [](T x, T slope) { return x < T{} ? static_cast<T>(x * slope) : x; });
    });
    return known ? done : noTypes(call);
}

Result<void> kindOfNumber(KernelCall &call)
{
    const bool isNan = call.node.type == "IsNaN";
    const bool negative = !isNan && call.node.integer("detect_negative") != 0;
    const bool positive = !isNan && call.node.integer("detect_positive") != 0;
    const bool known = forReal(call.in(0).type, [&]<typename T>() {
        std::ranges::transform(call.in(0).as<T>(), call.out().as<bool>().begin(), [&](T x) {
            return isNan ? std::isnan(x) : std::isinf(x) && (x < 0 ? negative : positive);
        });
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
