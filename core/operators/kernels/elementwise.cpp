// Every element by itself. Real functions of one number are computed in double precision and rounded once.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"
#include "operators/values/narrow_floats.h"

#include <array>
#include <functional>

namespace stagecraft::kernels {
namespace {

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

// Computes with numbers of type `Of`; false if there is no function of them.
template <typename T, typename Of>
bool applied(KernelCall &call)
{
    const auto function = functionIn(unaryFunctions<Of>(), call.node.type);
    if (!function)
        return false;
    const auto constants = functionConstants<Of>(call.node.type, call.node.attributes);
    std::ranges::transform(call.in(0).as<T>(), call.out().as<T>().begin(),
                           [&](T x) { return numberAs<T>(function(static_cast<Of>(x), constants)); });
    return true;
}

} // namespace

Result<void> unary(KernelCall &call)
{
    bool known = false;
    // Some files give integers to functions of real numbers: they get the result as an integer.
    forNumber(call.in(0).type, [&]<typename T>() {
        known = (std::is_integral_v<T> && applied<T, T>(call)) || applied<T, double>(call);
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> arithmetic(KernelCall &call)
{
    const std::string &type = call.node.type;
    const TensorView &to = call.out();
    if (!sameTypes(call))
        return noTypes(call);
    Result<void> done;
    bool known = false;
    forNumber(to.type, [&]<typename T>() {
        const auto function = functionIn(binaryFunctions<T>(), type);
        known = function != nullptr;
        if (!known)
            return;
        const auto constants = functionConstants<T>(type, call.node.attributes);
        const auto combine = [&](T x, T y) { return function(x, y, constants); };
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
    });
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
    const auto raised = functionIn(binaryFunctions<double>(), call.node.type);
    const bool known = forNumber(to.type, [&]<typename T>() {
        forNumber(call.in(1).type, [&]<typename E>() {
            const auto x = call.in(0).as<T>();
            const auto y = call.in(1).as<E>();
            forElements<2>(to.dims, {*strideA, *strideB}, [&](std::int64_t i, const auto &at) {
                to.as<T>()[static_cast<std::size_t>(i)] =
                    numberAs<T>(raised(static_cast<double>(x[static_cast<std::size_t>(at[0])]),
                                       static_cast<double>(y[static_cast<std::size_t>(at[1])]), {}));
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
            to.as<T>()[static_cast<std::size_t>(i)] =
                chosen(condition[static_cast<std::size_t>(at[0])], yes[static_cast<std::size_t>(at[1])],
                       no[static_cast<std::size_t>(at[2])]);
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
        std::ranges::transform(call.in(0).as<T>(), to.as<T>().begin(), [&](T x) { return clipped(x, low, high); });
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
