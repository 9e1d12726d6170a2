#pragma once

// What kernels share: loops that are written once for every element type, indices of row-major tensors. Private to
// core/operators.

#include "operators/kernels/kernel.h"
#include "operators/kernels/scalar_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

namespace stagecraft::kernels {

using Dims = std::vector<std::int64_t>;

[[nodiscard]] tl::unexpected<Error> refuse(std::string message);
[[nodiscard]] tl::unexpected<Error> noTypes(const KernelCall &call); // the operator has no form for these types

// Refuses an operand that is there and does not have as many elements; an empty one passes where `mayBeEmpty`.
[[nodiscard]] Result<void> needsElements(const KernelCall &call, std::size_t place, std::string_view name,
                                         std::int64_t count, bool mayBeEmpty = false);

// Calls body.operator()<T>() with the C++ type; false if the type is none of those.
template <typename Body>
bool forReal(DataType type, const Body &body)
{
    switch (type) {
    case DataType::Float32: body.template operator()<float>(); return true;
    case DataType::Float64: body.template operator()<double>(); return true;
    default: return false;
    }
}

template <typename Body>
bool forInteger(DataType type, const Body &body)
{
    switch (type) {
    case DataType::Int64: body.template operator()<std::int64_t>(); return true;
    case DataType::Int32: body.template operator()<std::int32_t>(); return true;
    case DataType::Int16: body.template operator()<std::int16_t>(); return true;
    case DataType::Int8: body.template operator()<std::int8_t>(); return true;
    case DataType::UInt64: body.template operator()<std::uint64_t>(); return true;
    case DataType::UInt32: body.template operator()<std::uint32_t>(); return true;
    case DataType::UInt16: body.template operator()<std::uint16_t>(); return true;
    case DataType::UInt8: body.template operator()<std::uint8_t>(); return true;
    default: return false;
    }
}

template <typename Body>
bool forNumber(DataType type, const Body &body)
{
    return forReal(type, body) || forInteger(type, body);
}

// Truths, too, as bytes.
template <typename Body>
bool forAny(DataType type, const Body &body)
{
    if (type == DataType::Bool) {
        body.template operator()<bool>();
        return true;
    }
    return forNumber(type, body);
}

// Values that are only moved: by the size of an element.
template <typename Body>
bool forBytes(DataType type, const Body &body)
{
    switch (sizeBytes(type)) {
    case 1: body.template operator()<std::uint8_t>(); return true;
    case 2: body.template operator()<std::uint16_t>(); return true;
    case 4: body.template operator()<std::uint32_t>(); return true;
    case 8: body.template operator()<std::uint64_t>(); return true;
    default: return false;
    }
}

// A number as another type: real numbers are truncated, those that do not fit wrap around as in two's complement.
template <typename To, typename From>
[[nodiscard]] To numberAs(From from)
{
    if constexpr (std::is_same_v<To, bool>) {
        return from != From{};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (!(std::abs(static_cast<double>(from)) < 1.8e19)) // NaN, too
            return To{};
        const auto whole = static_cast<double>(from);
        return whole < 0 ? static_cast<To>(static_cast<std::int64_t>(std::max(whole, -9.2e18)))
                         : static_cast<To>(static_cast<std::uint64_t>(whole));
    } else {
        return static_cast<To>(from);
    }
}

[[nodiscard]] std::vector<std::int64_t> integersIn(const TensorView &tensor);
[[nodiscard]] std::vector<double> realsIn(const TensorView &tensor);
[[nodiscard]] double realAt(const TensorView &tensor, std::int64_t i = 0);
// Writes a number to a tensor of any type.
void setReal(const TensorView &tensor, std::int64_t i, double value);

[[nodiscard]] Dims stridesOf(const Dims &dims);
[[nodiscard]] std::int64_t productOf(std::span<const std::int64_t> dims);

// Strides that read a tensor of shape `from` as one of shape `to`, which it is broadcast to; empty if it does not fit.
[[nodiscard]] std::optional<Dims> broadcastStrides(const Dims &from, const Dims &to);

// Calls visit(i, a[0], a[1], ...) for the elements of a tensor of shape `dims` in order: a[k] is the offset by
// strides[k].
template <std::size_t count, typename Visit>
void forElements(const Dims &dims, const std::array<Dims, count> &strides, const Visit &visit)
{
    const std::int64_t size = productOf(dims);
    std::array<std::int64_t, count> at{};
    Dims place(dims.size(), 0);
    for (std::int64_t i = 0; i < size; ++i) {
        visit(i, at);
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            ++place[axis];
            for (std::size_t k = 0; k < count; ++k)
                at[k] += strides[k][axis];
            if (place[axis] < dims[axis])
                break;
            for (std::size_t k = 0; k < count; ++k)
                at[k] -= strides[k][axis] * dims[axis];
            place[axis] = 0;
        }
    }
}

// A shape around one axis: outer x axis x inner.
struct AxisParts {
    std::int64_t outer = 1;
    std::int64_t size = 1;
    std::int64_t inner = 1;
};
[[nodiscard]] AxisParts partsOf(const Dims &dims, std::size_t axis);
// Refuses an axis that is out of range. A negative one counts from the end.
[[nodiscard]] Result<std::size_t> axisOf(std::int64_t axis, std::size_t rank);

// c[m x n] += a[m x k] * b[k x n], row-major.
template <typename T>
void addProduct(const T *a, const T *b, T *c, std::int64_t m, std::int64_t k, std::int64_t n)
{
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) {
            const T factor = a[i * k + p];
            for (std::int64_t j = 0; j < n; ++j)
                c[i * n + j] = static_cast<T>(c[i * n + j] + factor * b[p * n + j]);
        }
    }
}

} // namespace stagecraft::kernels
