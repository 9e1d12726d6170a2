#pragma once

// Names of the constants an operator owns (Parameter::role), and how they are laid out, row-major:
//
//   Conv           weight [out, in / groups, kernelHeight, kernelWidth], bias [out] (may be absent)
//   SepConv        depthwise_weight [in, 1, kernelHeight, kernelWidth], depthwise_bias [in] (may be absent),
//                  pointwise_weight [out, in, 1, 1], pointwise_bias [out] (may be absent)
//   ConvTranspose  weight [in, out / groups, kernelHeight, kernelWidth], bias [out] (may be absent)
//   BatchNorm      scale [channels], bias [channels]: y = scale * x + bias, statistics already folded in
//   Gemm           weight [inFeatures, outFeatures], or [outFeatures, inFeatures] with transposeB; bias [outFeatures]
//                  (may be absent); no weight where the second operand is a tensor
//   Activation     slope [channels] of a PRelu
//   others         operandN: the constant in place N of the operands as the model file lists them (from 0); the tensors
//                  fill the other places in order

#include <string>
#include <string_view>

namespace stagecraft::role {

inline constexpr std::string_view kWeight = "weight";
inline constexpr std::string_view kBias = "bias";
inline constexpr std::string_view kDepthwiseWeight = "depthwise_weight";
inline constexpr std::string_view kDepthwiseBias = "depthwise_bias";
inline constexpr std::string_view kPointwiseWeight = "pointwise_weight";
inline constexpr std::string_view kPointwiseBias = "pointwise_bias";
inline constexpr std::string_view kScale = "scale";
inline constexpr std::string_view kSlope = "slope";

[[nodiscard]] inline std::string operand(std::size_t place)
{
    return "operand" + std::to_string(place);
}

} // namespace stagecraft::role
