#pragma once

// Descriptions of oneDNN primitives from operators. May throw dnnl::error.

#include "device/cpu/onednn/layout.h"
#include "operators/operator.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft::cpu {

inline constexpr auto kInference = dnnl::prop_kind::forward_inference;

struct ConvShape {
    dnnl::memory::dims source;
    dnnl::memory::dims destination;
    Window window;
    std::int64_t groups = 1;
    bool hasBias = false;
    std::optional<Desc> stated{}; // of the source; empty: the library chooses
};

// Dimensions of the weights in oneDNN's order, with a leading axis of groups if there are several.
[[nodiscard]] dnnl::memory::dims weightDims(const ConvShape &shape);

// The library chooses the layouts of weights, of the source unless it is stated, and of the destination if that is
// `any`. Where it is stated, the library's reference code is no kernel: dnnl::error.
[[nodiscard]] dnnl::convolution_forward::primitive_desc convolution(const dnnl::engine &engine, const ConvShape &shape,
                                                                    const Desc &destination, const Activation &after);

[[nodiscard]] dnnl::pooling_v2_forward::primitive_desc pooling(const dnnl::engine &engine, const PoolAttributes &pool,
                                                               const Desc &source, const Desc &destination);

struct EltwiseParameters {
    dnnl::algorithm algorithm;
    float alpha = 0;
    float beta = 0;
};

// The activation as a sequence of oneDNN's element-wise functions; empty if it has none (PRelu).
[[nodiscard]] std::vector<EltwiseParameters> eltwise(const Activation &activation);

// With a scratchpad planned by the caller, and `after` or the activation (if oneDNN has it) fused.
[[nodiscard]] dnnl::primitive_attr attributes(std::span<const EltwiseParameters> after);
[[nodiscard]] dnnl::primitive_attr attributes(const Activation &after = {});

} // namespace stagecraft::cpu
