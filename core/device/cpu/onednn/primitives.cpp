#include "device/cpu/onednn/primitives.h"

#include <cmath>

namespace stagecraft::cpu {
namespace {

using dnnl::memory;

memory::dims pair(const std::array<std::int64_t, 2> &values)
{
    return {values[0], values[1]};
}

// oneDNN counts the skipped pixels, not the distance.
memory::dims dilation(const Window &window)
{
    return {window.dilation[0] - 1, window.dilation[1] - 1};
}

// Padding after the image such that exactly the destination's windows fit. In ceiling mode that is more than the model
// states.
memory::dims paddingBehind(const Window &window, const memory::dims &source, const memory::dims &destination)
{
    memory::dims padding(2);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
        const std::int64_t needed = (destination[axis + 2] - 1) * window.stride[axis] + reach;
        padding[axis] = std::max(needed - source[axis + 2] - window.padding[axis], std::int64_t{0});
    }
    return padding;
}

} // namespace

std::vector<EltwiseParameters> eltwise(const Activation &activation)
{
    using dnnl::algorithm;
    switch (activation.kind) {
    case ActivationKind::Relu: return {{algorithm::eltwise_relu}};
    case ActivationKind::Relu6: return {{algorithm::eltwise_clip, 0, 6}};
    case ActivationKind::LeakyRelu: return {{algorithm::eltwise_relu, activation.alpha}};
    case ActivationKind::Sigmoid: return {{algorithm::eltwise_logistic}};
    case ActivationKind::Tanh: return {{algorithm::eltwise_tanh}};
    case ActivationKind::HardSwish: return {{algorithm::eltwise_hardswish}};
    case ActivationKind::HardSigmoid:
        return {{algorithm::eltwise_linear, activation.alpha, activation.beta}, {algorithm::eltwise_clip, 0, 1}};
    case ActivationKind::Silu: return {{algorithm::eltwise_swish, 1}};
    case ActivationKind::Elu: return {{algorithm::eltwise_elu, activation.alpha}};
    case ActivationKind::Gelu: return {{algorithm::eltwise_gelu_erf}};
    case ActivationKind::Mish: return {{algorithm::eltwise_mish}};
    case ActivationKind::None:
    case ActivationKind::PRelu: // has slopes of its own, see emit_input.cpp
    case ActivationKind::Other: break;
    }
    return {};
}

dnnl::primitive_attr attributes(std::span<const EltwiseParameters> after)
{
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (!after.empty()) {
        dnnl::post_ops fused;
        for (const EltwiseParameters &function : after)
            fused.append_eltwise(1, function.algorithm, function.alpha, function.beta);
        attributes.set_post_ops(fused);
    }
    return attributes;
}

dnnl::primitive_attr attributes(const Activation &after)
{
    return attributes(eltwise(after));
}

memory::dims weightDims(const ConvShape &shape)
{
    const std::int64_t in = shape.source[1];
    const std::int64_t out = shape.destination[1];
    const auto &kernel = shape.window.kernel;
    if (shape.groups == 1)
        return {out, in, kernel[0], kernel[1]};
    return {shape.groups, out / shape.groups, in / shape.groups, kernel[0], kernel[1]};
}

dnnl::convolution_forward::primitive_desc convolution(const dnnl::engine &engine, const ConvShape &shape,
                                                      const Desc &destination, const Activation &after)
{
    const Window &window = shape.window;
    const memory::dims before{window.padding[0], window.padding[1]};
    const memory::dims behind = paddingBehind(window, shape.source, shape.destination);
    constexpr auto kDirect = dnnl::algorithm::convolution_direct;
    const Desc source = shape.stated.value_or(anyDesc(shape.source));
    const Desc weights = anyDesc(weightDims(shape));
    const Desc bias =
        shape.hasBias ? Desc({shape.destination[1]}, memory::data_type::f32, memory::format_tag::x) : Desc();
    const auto strides = pair(window.stride);
    const auto gaps = dilation(window);
    const dnnl::convolution_forward::desc what =
        shape.hasBias ? dnnl::convolution_forward::desc(kInference, kDirect, source, weights, bias, destination,
                                                        strides, gaps, before, behind)
                      : dnnl::convolution_forward::desc(kInference, kDirect, source, weights, destination, strides,
                                                        gaps, before, behind);
    dnnl::convolution_forward::primitive_desc desc(what, attributes(after), engine);
    if (shape.stated && std::string_view(desc.impl_info_str()).starts_with("ref"))
        throw dnnl::error(dnnl_unimplemented, "no kernel for a convolution of these layouts");
    return desc;
}

dnnl::pooling_v2_forward::primitive_desc pooling(const dnnl::engine &engine, const PoolAttributes &pool,
                                                 const Desc &source, const Desc &destination)
{
    using dnnl::algorithm;
    const algorithm mode = pool.mode == PoolAttributes::Mode::Max ? algorithm::pooling_max
                           : pool.countIncludePad                 ? algorithm::pooling_avg_include_padding
                                                                  : algorithm::pooling_avg_exclude_padding;
    Window window = pool.window;
    if (pool.global)
        window = Window{{source.dims()[2], source.dims()[3]}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
    const memory::dims before{window.padding[0], window.padding[1]};
    const memory::dims behind = paddingBehind(window, source.dims(), destination.dims());
    return {{kInference, mode, source, destination, pair(window.stride), pair(window.kernel), dilation(window), before,
             behind},
            attributes(),
            engine};
}

} // namespace stagecraft::cpu
