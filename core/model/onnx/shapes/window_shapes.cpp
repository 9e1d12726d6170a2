#include "model/onnx/refusal.h"
#include "model/onnx/shapes/shape_rules.h"

#include <algorithm>
#include <cmath>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace shape_rules {

// Convolutions and pools over any number of spatial dimensions.
Shapes windowShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    if (dims.size() < 3)
        return refuseShapes("it needs an input with batch, channels and space, and gets " + listing(dims));
    Dims kernel = node.integers("kernel_shape");
    std::int64_t channels = dims[1];
    const bool transposed = node.type == "ConvTranspose";
    const bool quantized = node.type == "QLinearConv"; // x, its scale and zero point, then the weight
    if (node.type == "Conv" || node.type == "ConvInteger" || quantized || transposed) {
        const std::size_t place = quantized ? 3 : 1;
        if (!node.has(place) || node.shape(place).dims.size() != dims.size())
            return refuseShapes("its weights do not fit its input " + listing(dims));
        const Dims &weight = node.shape(place).dims;
        kernel.assign(weight.begin() + 2, weight.end());
        const std::int64_t groups = std::max<std::int64_t>(1, node.integer("group", 1));
        if ((transposed ? weight[0] : weight[1] * groups) != channels)
            return refuseShapes("its weights are for " + std::to_string(transposed ? weight[0] : weight[1] * groups) +
                                " input channels, but its input has " + std::to_string(channels));
        channels = transposed ? weight[1] * groups : weight[0];
    }
    const auto window = spatialWindow(node, kernel, dims);
    if (!window)
        return tl::unexpected(window.error());
    Dims result{dims[0], channels};
    const bool ceilMode = node.integer("ceil_mode", 0) != 0;
    const Dims outputPadding = node.integers("output_padding");
    const Dims outputShape = node.integers("output_shape");
    for (std::size_t i = 0; i + 2 < dims.size(); ++i) {
        const std::int64_t size = dims[i + 2];
        const std::int64_t reach = window->dilation[i] * (window->kernel[i] - 1) + 1;
        const std::int64_t pads = window->padding[i] + window->padding[i + dims.size() - 2];
        if (transposed) {
            const std::int64_t more = i < outputPadding.size() ? outputPadding[i] : 0;
            const bool given = outputShape.size() + 2 == dims.size();
            const bool same = node.text("auto_pad", "NOTSET").starts_with("SAME");
            const std::int64_t computed = (size - 1) * window->stride[i] + reach + more - pads;
            result.push_back(given ? outputShape[i] : same ? size * window->stride[i] : computed);
            continue;
        }
        if (reach > size + pads)
            return refuseShapes("its window of " + std::to_string(reach) + " is larger than the padded input of " +
                                std::to_string(size + pads));
        std::int64_t output = (size + pads - reach) / window->stride[i] + 1;
        if (ceilMode && (size + pads - reach) % window->stride[i] != 0 &&
            output * window->stride[i] < size + window->padding[i])
            ++output;
        result.push_back(output);
    }
    return std::vector<Shape>(outputCount(node), Shape{std::move(result)});
}

Shapes globalPoolShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    if (dims.size() < 2)
        return refuseShapes("it needs an input with batch and channels");
    std::fill(dims.begin() + 2, dims.end(), 1);
    return one(std::move(dims));
}

Shapes padShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    auto pads = node.integersFrom("pads", 1);
    if (!pads.given && node.attribute("paddings"))
        pads = {true, node.integers("paddings")};
    if (!pads.values)
        return unknown();
    Dims axes;
    if (node.has(3)) {
        if (!node.constant(3))
            return unknown();
        axes = node.constant(3)->asInts();
    } else {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    }
    if (pads.values->size() != 2 * axes.size())
        return refuseShapes("it has " + std::to_string(pads.values->size()) + " pads for " +
                            std::to_string(axes.size()) + " dimensions");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        const std::int64_t before = (*pads.values)[i];
        const std::int64_t after = (*pads.values)[i + axes.size()];
        constexpr std::int64_t kLimit = std::int64_t{1} << 32;
        if (!axis || std::abs(before) > kLimit || std::abs(after) > kLimit)
            return refuseShapes("its pads are absurd");
        dims[*axis] += before + after;
    }
    return one(std::move(dims));
}

// Scales or sizes are inputs of Resize (after the region of interest from opset 11 on) and of Upsample; before, they
// are attributes.
Shapes resizeShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const bool late = node.type == "Resize" && node.opset >= 11;
    const auto usable = [&](std::size_t i) { return node.has(i) && node.shape(i).elements() > 0; };
    const std::size_t scalesAt = late ? 2 : 1;
    Dims axes = node.integers("axes");
    if (axes.empty()) {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    }
    std::vector<float> scales;
    if (late && usable(3)) {
        if (!node.constant(3))
            return unknown();
        const Dims sizes = node.constant(3)->asInts();
        if (sizes.size() != axes.size())
            return refuseShapes("its sizes do not fit its input");
        Dims result = dims;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto axis = axisWithin(axes[i], dims.size());
            if (!axis)
                return refuseShapes("its axes are out of range");
            result[*axis] = sizes[i];
        }
        return one(std::move(result));
    }
    if (const auto *attribute = node.attribute("scales"))
        scales.assign(attribute->floats().begin(), attribute->floats().end());
    else if (usable(scalesAt) && node.constant(scalesAt))
        scales = *node.constant(scalesAt)->asFloats();
    else
        return unknown();
    if (scales.size() != axes.size())
        return refuseShapes("it has " + std::to_string(scales.size()) + " scales for " + std::to_string(axes.size()) +
                            " dimensions");
    Dims result = dims;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        if (!axis || !(scales[i] > 0) || scales[i] > 1e6F)
            return refuseShapes("its scales are absurd");
        result[*axis] = static_cast<std::int64_t>(
            std::floor(static_cast<double>(dims[*axis]) * static_cast<double>(scales[i]) + 1e-6));
    }
    return one(std::move(result));
}

} // namespace shape_rules

Result<SpatialWindow> spatialWindow(const OnnxNode &node, const std::vector<std::int64_t> &kernel,
                                    const std::vector<std::int64_t> &inputDims)
{
    const std::size_t rank = inputDims.size() - 2;
    SpatialWindow window{kernel, node.integers("strides"), node.integers("dilations"), node.integers("pads")};
    if (window.stride.empty())
        window.stride.assign(rank, 1);
    if (window.dilation.empty())
        window.dilation.assign(rank, 1);
    if (window.padding.empty())
        window.padding.assign(2 * rank, 0);
    if (kernel.size() != rank || window.stride.size() != rank || window.dilation.size() != rank ||
        window.padding.size() != 2 * rank)
        return refuseShapes("its kernel, strides, dilations or pads are not for " + std::to_string(rank) +
                            " spatial dimensions");
    constexpr std::int64_t kLimit = std::int64_t{1} << 20;
    for (const auto *list : {&window.kernel, &window.stride, &window.dilation}) {
        if (std::ranges::any_of(*list, [](std::int64_t value) { return value < 1 || value > kLimit; }))
            return refuseShapes("its kernel, strides and dilations must be at least 1");
    }
    if (std::ranges::any_of(window.padding, [](std::int64_t value) { return value < 0 || value > kLimit; }))
        return refuseShapes("its pads are negative or absurd");
    const std::string automatic = node.text("auto_pad", "NOTSET");
    if (automatic == "VALID")
        window.padding.assign(2 * rank, 0);
    const std::vector<std::int64_t> target = node.integers("output_shape");
    const std::vector<std::int64_t> outputPadding = node.integers("output_padding");
    if (node.type == "ConvTranspose" && target.size() == rank) {
        for (std::size_t i = 0; i < rank; ++i) {
            const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
            const std::int64_t more = i < outputPadding.size() ? outputPadding[i] : 0;
            const std::int64_t total = (inputDims[i + 2] - 1) * window.stride[i] + more + reach - target[i];
            if (total < 0 || target[i] < 1)
                return refuseShapes("its output_shape cannot be reached");
            const std::int64_t less = total / 2;
            window.padding[i] = automatic == "SAME_UPPER" ? less : total - less;
            window.padding[i + rank] = total - window.padding[i];
        }
        return window;
    }
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
        return window;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t size = inputDims[i + 2];
        const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        const std::int64_t outputs = (size + window.stride[i] - 1) / window.stride[i];
        const std::int64_t total = node.type == "ConvTranspose"
                                       ? std::max<std::int64_t>(0, reach - window.stride[i])
                                       : std::max<std::int64_t>(0, (outputs - 1) * window.stride[i] + reach - size);
        const std::int64_t less = total / 2;
        window.padding[i] = automatic == "SAME_UPPER" ? less : total - less;
        window.padding[i + rank] = total - window.padding[i];
    }
    return window;
}

} // namespace stagecraft
