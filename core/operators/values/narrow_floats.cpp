#include "operators/values/narrow_floats.h"

#include <bit>
#include <cmath>

namespace stagecraft {

std::uint16_t halfBits(float value)
{
    const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U & 0x8000U);
    const float size = std::abs(value);
    if (std::isnan(value))
        return sign | 0x7e00U;
    if (size >= 65520.0F)
        return sign | 0x7c00U;
    if (size < 0x1p-14F) // subnormal numbers
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24F)));
    const auto bits = std::bit_cast<std::uint32_t>(size);
    const std::uint32_t rounded = bits + 0xfffU + (bits >> 13U & 1U) - (112U << 23U);
    return static_cast<std::uint16_t>(sign | rounded >> 13U);
}

std::uint16_t bfloatBits(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

float halfToFloat(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t exponent = bits >> 10U & 0x1fU;
    const std::uint32_t mantissa = bits & 0x3ffU;
    if (exponent == 0) // zero and subnormal numbers
        return (sign ? -1.0F : 1.0F) * std::ldexp(static_cast<float>(mantissa), -24);
    const std::uint32_t wide = exponent == 31 ? 0xffU : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23U | mantissa << 13U);
}

float bfloatToFloat(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

float roundedTo(DataType narrow, float value)
{
    return narrow == DataType::Float16 ? halfToFloat(halfBits(value)) : bfloatToFloat(bfloatBits(value));
}

} // namespace stagecraft
