#include "operators/shapes/shape_rules.h"
#include "operators/shapes/spatial_window.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {
namespace shape_rules {

std::int64_t windowPositions(std::int64_t size, std::int64_t reach, std::int64_t stride, std::int64_t before,
                             std::int64_t after, bool ceilMode)
{
    const std::int64_t free = size + before + after - reach;
    const std::int64_t positions = free / stride + 1;
    const bool oneMore = ceilMode && free % stride != 0 && positions * stride < size + before;
    return oneMore ? positions + 1 : positions;
}

// Convolutions and pools over any number of spatial dimensions.
Shapes windowed(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    if (dims.size() < 3)
        return refuse("it needs an input with batch, channels and space, and gets " + listing(dims));
    Dims kernel = node.integers("kernel_shape");
    std::int64_t channels = dims[1];
    const bool transposed = node.type == "ConvTranspose";
    const bool quantized = node.type == "QLinearConv"; // x, its scale and zero point, then the weight
    if (node.type == "Conv" || node.type == "ConvInteger" || node.type == "DeformConv" || quantized || transposed) {
        const std::size_t place = quantized ? 3 : 1;
        if (!node.has(place) || node.shape(place).dims.size() != dims.size())
            return refuse("its weights do not fit its input " + listing(dims));
        const Dims &weight = node.shape(place).dims;
        kernel.assign(weight.begin() + 2, weight.end());
        const std::int64_t groups = std::clamp<std::int64_t>(node.integer("group"), 1, channels + 1);
        if ((transposed ? weight[0] : weight[1] * groups) != channels)
            return refuse(fmt::format("its weights are for {} input channels, but its input has {}",
                                      transposed ? weight[0] : weight[1] * groups, channels));
        channels = transposed ? weight[1] * groups : weight[0];
    }
    TRY_AS(const auto window, spatialWindow(node, kernel, dims));
    Dims result{dims[0], channels};
    const bool ceilMode = node.integer("ceil_mode") != 0;
    const Dims outputPadding = node.integers("output_padding");
    const Dims outputShape = node.integers("output_shape");
    for (std::size_t i = 0; i + 2 < dims.size(); ++i) {
        const std::int64_t size = dims[i + 2];
        const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        const std::int64_t pads = window.padding[i] + window.padding[i + dims.size() - 2];
        if (transposed) {
            const std::int64_t more = i < outputPadding.size() ? outputPadding[i] : 0;
            const bool given = outputShape.size() + 2 == dims.size();
            const bool same = node.text("auto_pad").starts_with("SAME");
            const std::int64_t computed = (size - 1) * window.stride[i] + reach + more - pads;
            result.push_back(given ? outputShape[i] : same ? size * window.stride[i] : computed);
            continue;
        }
        if (reach > size + pads)
            return refuse(fmt::format("its window of {} is larger than the padded input of {}", reach, size + pads));
        const std::int64_t before = window.padding[i];
        result.push_back(windowPositions(size, reach, window.stride[i], before, pads - before, ceilMode));
    }
    return std::vector<Shape>(node.outputCount, Shape{std::move(result)});
}

Shapes pooledGlobally(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    if (dims.size() < 2)
        return refuse("it needs an input with batch and channels");
    std::fill(dims.begin() + 2, dims.end(), 1);
    return one(std::move(dims));
}

Shapes padded(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    auto pads = node.integersFrom("pads", 1);
    if (!pads.given && node.gives("paddings"))
        pads = {true, node.integers("paddings")};
    if (!pads.given)
        return refuse("it has no pads");
    if (!pads.values)
        return unknown();
    Dims axes;
    if (node.has(3)) {
        axes = node.constant(3)->asInts();
    } else {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    }
    if (pads.values->size() != 2 * axes.size())
        return refuse(fmt::format("it has {} pads for {} dimensions", pads.values->size(), axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        const std::int64_t before = (*pads.values)[i];
        const std::int64_t after = (*pads.values)[i + axes.size()];
        constexpr std::int64_t kLimit = std::int64_t{1} << 32;
        if (!axis || std::abs(before) > kLimit || std::abs(after) > kLimit)
            return refuse("its pads are absurd");
        dims[*axis] += before + after;
    }
    return one(std::move(dims));
}

// Scales or sizes are inputs of Resize (after the region of interest from opset 11 on) and of Upsample; before, they
// are attributes.
Shapes resized(const NodeFacts &node)
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
        const Dims sizes = node.constant(3)->asInts();
        if (sizes.size() != axes.size())
            return refuse("its sizes do not fit its input");
        Dims result = dims;
        const std::string policy = node.text("keep_aspect_ratio_policy");
        std::optional<double> common; // one scale for all axes
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto axis = axisWithin(axes[i], dims.size());
            if (!axis)
                return refuse("its axes are out of range");
            result[*axis] = sizes[i];
            const double scale = static_cast<double>(sizes[i]) / static_cast<double>(dims[*axis]);
            common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
        }
        for (std::size_t i = 0; i < axes.size() && policy != "stretch"; ++i) {
            const std::size_t axis = *axisWithin(axes[i], dims.size());
            result[axis] = static_cast<std::int64_t>(std::round(static_cast<double>(dims[axis]) * *common));
        }
        return one(std::move(result));
    }
    if (node.gives("scales"))
        scales = node.reals("scales");
    else if (usable(scalesAt) && node.constant(scalesAt))
        scales = *node.constant(scalesAt)->asFloats();
    else if (usable(scalesAt) || node.gives("height_scale") || node.gives("width_scale"))
        return unknown();
    else
        return refuse(late ? "it has neither scales nor sizes" : "it has no scales");
    if (scales.size() != axes.size())
        return refuse(fmt::format("it has {} scales for {} dimensions", scales.size(), axes.size()));
    Dims result = dims;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        if (!axis || !(scales[i] > 0) || scales[i] > 1e6F)
            return refuse("its scales are absurd");
        result[*axis] = static_cast<std::int64_t>(
            std::floor(static_cast<double>(dims[*axis]) * static_cast<double>(scales[i]) + 1e-6));
    }
    return one(std::move(result));
}

} // namespace shape_rules

using shape_rules::refuse;

Result<SpatialWindow> spatialWindow(const NodeFacts &node, const std::vector<std::int64_t> &kernel,
                                    const std::vector<std::int64_t> &inputDims)
{
    if (inputDims.size() < 2)
        return refuse("it needs an input with batch, channels and space");
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
        return refuse(fmt::format("its kernel, strides, dilations or pads are not for {} spatial dimensions", rank));
    constexpr std::int64_t kLimit = std::int64_t{1} << 20;
    for (const auto *list : {&window.kernel, &window.stride, &window.dilation}) {
        if (std::ranges::any_of(*list, [](std::int64_t value) { return value < 1 || value > kLimit; }))
            return refuse("its kernel, strides and dilations must be at least 1");
    }
    if (std::ranges::any_of(window.padding, [](std::int64_t value) { return value < 0 || value > kLimit; }))
        return refuse("its pads are negative or absurd");
    const std::string automatic = node.text("auto_pad");
    if (automatic == "VALID")
        window.padding.assign(2 * rank, 0);
    const std::vector<std::int64_t> target = node.integers("output_shape");
    const std::vector<std::int64_t> outputPadding = node.integers("output_padding");
    if (node.type == "ConvTranspose" && !target.empty() && target.size() != rank)
        return refuse(
            fmt::format("its output_shape has {} sizes for {} spatial dimensions; batch and channels are none of it",
                        target.size(), rank));
    if (node.type == "ConvTranspose" && !target.empty()) {
        for (std::size_t i = 0; i < rank; ++i) {
            const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
            const std::int64_t more = i < outputPadding.size() ? outputPadding[i] : 0;
            const std::int64_t total = (inputDims[i + 2] - 1) * window.stride[i] + more + reach - target[i];
            if (-total >= window.stride[i] || target[i] < 1)
                return refuse("its output_shape cannot be reached");
            const std::int64_t less = std::max<std::int64_t>(0, total) / 2; // else its end is out of reach of the input
            const std::int64_t padding = std::max<std::int64_t>(0, total);
            window.padding[i] = automatic == "SAME_UPPER" ? less : padding - less;
            window.padding[i + rank] = padding - window.padding[i];
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
