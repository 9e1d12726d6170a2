#include "model/onnx/convert/convert_rules.h"

#include "model/onnx/refusal.h"
#include "operators/parameter_roles.h"
#include "operators/shapes/spatial_window.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft::convert_rules {
namespace {

Window windowOf(const SpatialWindow &window)
{
    return {{window.kernel[0], window.kernel[1]},
            {window.stride[0], window.stride[1]},
            {window.dilation[0], window.dilation[1]},
            {window.padding[0], window.padding[1], window.padding[2], window.padding[3]}};
}

// Whether a transposed convolution has an output shape whose end no window reaches.
bool reachesBeyond(const OnnxNode &node, const SpatialWindow &window)
{
    if (!node.gives("output_shape"))
        return false;
    const auto target = node.integers("output_shape");
    for (std::size_t i = 0; i < target.size() && i < 2; ++i) {
        const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        const std::int64_t padding = window.padding[i] + window.padding[i + 2];
        if ((node.shape(0).dims[i + 2] - 1) * window.stride[i] + reach - padding < target[i] &&
            node.integers("output_padding").empty())
            return true;
    }
    return false;
}

bool isImage(const OnnxNode &node)
{
    return node.isTensor(0) && node.shape(0).known && node.shape(0).dims.size() == 4;
}

} // namespace

Converted convertConv(const OnnxNode &node)
{
    const Constant *weight = node.constant(1);
    const Constant *bias = node.constant(2);
    if (!isImage(node) || !weight || !weight->isFloat() || weight->dims.size() != 4 || (node.has(2) && !bias))
        return std::nullopt;
    TRY_AS(const auto window, spatialWindow(node, {weight->dims[2], weight->dims[3]}, node.shape(0).dims));
    if (reachesBeyond(node, window))
        return std::nullopt;
    ConvAttributes conv;
    conv.groups = node.integer("group");
    if (conv.groups < 1)
        return refuseShapes(fmt::format("it has {} groups", conv.groups));
    const bool transposed = node.type == "ConvTranspose";
    conv.outChannels = transposed ? weight->dims[1] * conv.groups : weight->dims[0];
    conv.window = windowOf(window);
    if (bias && bias->size() != static_cast<std::size_t>(conv.outChannels))
        return refuseShapes(
            fmt::format("its bias has {} values for {} output channels", bias->size(), conv.outChannels));
    Operator op = reading(node, transposed ? OperatorKind::ConvTranspose : OperatorKind::Conv, conv);
    op.type = transposed ? "ConvTranspose" : "";
    op.parameters.push_back(parameterOf(node, role::kWeight, *weight));
    if (bias)
        op.parameters.push_back(parameterOf(node, role::kBias, *bias));
    return op;
}

Converted convertPool(const OnnxNode &node)
{
    if (!isImage(node) || node.outputs.size() > 1)
        return std::nullopt;
    PoolAttributes pool;
    pool.mode = node.type.ends_with("AveragePool") ? PoolAttributes::Mode::Average : PoolAttributes::Mode::Max;
    if (node.type.starts_with("Global")) {
        pool.global = true;
        pool.window.kernel = {node.shape(0).height(), node.shape(0).width()};
        return reading(node, OperatorKind::Pool, pool);
    }
    TRY_AS(const auto window, spatialWindow(node, node.integers("kernel_shape"), node.shape(0).dims));
    pool.window = windowOf(window);
    pool.ceilMode = node.integer("ceil_mode") != 0;
    pool.countIncludePad = node.integer("count_include_pad") != 0;
    return reading(node, OperatorKind::Pool, pool);
}

// The mean over height and width, as some exporters write global average pooling.
Converted convertReduceMean(const OnnxNode &node)
{
    const auto axes = node.integersFrom("axes", 1);
    if (!isImage(node) || !readsRealNumbers(node) || !axes.values || axes.values->size() != 2 ||
        node.integer("keepdims") == 0)
        return std::nullopt;
    const auto first = axisWithin((*axes.values)[0], 4);
    const auto second = axisWithin((*axes.values)[1], 4);
    if (!first || !second || std::min(*first, *second) != 2 || std::max(*first, *second) != 3)
        return std::nullopt;
    PoolAttributes pool;
    pool.mode = PoolAttributes::Mode::Average;
    pool.global = true;
    pool.window.kernel = {node.shape(0).height(), node.shape(0).width()};
    return reading(node, OperatorKind::Pool, pool);
}

} // namespace stagecraft::convert_rules
