#include "gpu/device/host_values.h"

#include <bit>
#include <cstring>

namespace stagecraft::gpu {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::uint32_t kInfinity = 0x7F800000U;
constexpr std::uint32_t kHalfInfinity = 0x7C00U;

template <typename Visit>
void forEachOffset(const Extent &dims, const Extent &strides, const Visit &visit)
{
    Extent position(dims.size(), 0);
    std::int64_t offset = 0;
    const std::int64_t count = elementsOf(dims);
    for (std::int64_t i = 0; i < count; ++i) {
        visit(i, offset);
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            offset += strides[axis];
            if (++position[axis] < dims[axis])
                break;
            offset -= strides[axis] * dims[axis];
            position[axis] = 0;
        }
    }
}

} // namespace

std::uint16_t toHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits & kSign) >> 16U);
    const std::uint32_t magnitude = bits & ~kSign;
    if (magnitude >= kInfinity) // infinite or not a number
        return static_cast<std::uint16_t>(sign | kHalfInfinity | (magnitude > kInfinity ? 0x200U : 0U));
    if (magnitude >= 0x477FF000U) // rounds to more than the largest half
        return static_cast<std::uint16_t>(sign | kHalfInfinity);
    std::uint32_t shift = 13;
    std::uint32_t mantissa = magnitude - 0x38000000U; // the exponent of a half
    if (magnitude < 0x38800000U) {                    // below the smallest normal half
        const std::uint32_t exponent = magnitude >> 23U;
        if (exponent < 102) // less than half the smallest half
            return sign;
        mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
        shift = 126 - exponent;
    }
    const std::uint32_t half = 1U << (shift - 1);
    const std::uint32_t rest = mantissa & ((1U << shift) - 1);
    std::uint32_t result = mantissa >> shift;
    if (rest > half || (rest == half && (result & 1U) != 0))
        ++result;
    return static_cast<std::uint16_t>(sign | result);
}

float fromHalf(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = bits & 0x7FFFU;
    if (magnitude >= kHalfInfinity)
        return std::bit_cast<float>(sign | kInfinity | (magnitude & 0x3FFU) << 13U);
    // Subnormal halves are multiples of 2^-24.
    if (magnitude < 0x400U)
        return (sign != 0 ? -1.0F : 1.0F) * static_cast<float>(magnitude) * 0x1p-24F;
    return std::bit_cast<float>(sign | ((magnitude << 13U) + 0x38000000U));
}

void scatter(std::span<const float> values, const View &view, Precision precision, std::span<std::byte> bytes)
{
    forEachOffset(view.dims, view.strides, [&](std::int64_t index, std::int64_t offset) {
        const float value = values[static_cast<std::size_t>(index)];
        std::byte *to = bytes.data() + offset * elementBytes(precision);
        if (precision == Precision::Fp16) {
            const std::uint16_t half = toHalf(value);
            std::memcpy(to, &half, sizeof half);
        } else {
            std::memcpy(to, &value, sizeof value);
        }
    });
}

std::vector<std::byte> packed(std::span<const float> values, const Extent &dims, const Extent &strides,
                              Precision precision)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(elementsOf(dims) * elementBytes(precision)));
    scatter(values, {View::Memory::Constant, 0, 0, dims, strides}, precision, bytes);
    return bytes;
}

std::vector<float> gathered(std::span<const std::byte> bytes, const View &view, Precision precision)
{
    std::vector<float> values(static_cast<std::size_t>(view.elements()));
    forEachOffset(view.dims, view.strides, [&](std::int64_t index, std::int64_t offset) {
        const std::byte *from = bytes.data() + offset * elementBytes(precision);
        float &value = values[static_cast<std::size_t>(index)];
        if (precision == Precision::Fp16) {
            std::uint16_t half = 0;
            std::memcpy(&half, from, sizeof half);
            value = fromHalf(half);
        } else {
            std::memcpy(&value, from, sizeof value);
        }
    });
    return values;
}

} // namespace stagecraft::gpu
