#include "device/cpu/onednn/tuned_convolution.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::cpu {
namespace {

constexpr double kMostFlops = 64e6; // above, the library's kernels are at the speed of the processor
constexpr std::array kTileRows{1, 2, 4, 8, 16, 64};

std::string timesText(std::int64_t a, std::int64_t b)
{
    return std::to_string(a) + 'x' + std::to_string(b);
}

std::string keyOf(const ConvolutionCase &made, std::string_view layout)
{
    const TiledConvolution &what = made.tiled;
    std::string key = what.isDepthwise ? "depthwise " : "dense ";
    key +=
        std::to_string(what.batch) + 'x' + std::to_string(what.inChannels) + 'x' + timesText(what.height, what.width);
    key += " to " + std::to_string(what.outChannels) + 'x' + timesText(what.outHeight, what.outWidth);
    key += " kernel " + timesText(what.kernelHeight, what.kernelWidth);
    key += " stride " + timesText(what.strideDown, what.strideAcross);
    key += " dilation " + timesText(what.dilationDown, what.dilationAcross);
    key += " padding " + timesText(what.paddingTop, what.paddingLeft);
    key += what.after == TiledConvolution::After::Relu    ? " relu"
           : what.after == TiledConvolution::After::Relu6 ? " relu6"
                                                          : "";
    return key + ' ' + std::string(layout) + " on " + std::to_string(made.threads) +
           (made.threads == 1 ? " thread" : " threads");
}

std::optional<TiledConvolution::After> afterOf(const Activation &activation)
{
    switch (activation.kind) {
    case ActivationKind::None: return TiledConvolution::After::Nothing;
    case ActivationKind::Relu: return TiledConvolution::After::Relu;
    case ActivationKind::Relu6: return TiledConvolution::After::Relu6;
    default: return std::nullopt;
    }
}

// The layout of both.
std::optional<TensorLayout> commonLayout(const Desc &source, const Desc &destination)
{
    for (const TensorLayout layout : {TensorLayout::ChannelsLast, TensorLayout::Blocked16, TensorLayout::Blocked8}) {
        if (source == arranged(source.dims(), layout) && destination == arranged(destination.dims(), layout))
            return layout;
    }
    return std::nullopt;
}

} // namespace

double flopsOf(const TiledConvolution &what)
{
    const std::int64_t inputs = what.isDepthwise ? 1 : what.inChannels;
    return 2.0 * static_cast<double>(what.batch * what.outChannels * what.outHeight * what.outWidth) *
           static_cast<double>(what.kernelHeight * what.kernelWidth * inputs);
}

std::optional<ConvolutionCase> tunableConvolution(const ConvShape &shape, const Desc &source, const Desc &destination,
                                                  const Activation &after, const std::string &op, int threads)
{
    const auto layout = commonLayout(source, destination);
    const auto fused = afterOf(after);
    const auto &in = shape.source;
    const auto &out = shape.destination;
    const bool isDepthwise = shape.groups > 1 && shape.groups == in[1] && in[1] == out[1];
    if (!layout || !fused || (shape.groups != 1 && !isDepthwise))
        return std::nullopt;
    ConvolutionCase made{{}, op, shape, after, source, destination, threads, {}};
    TiledConvolution &tiled = made.tiled;
    tiled.batch = in[0];
    tiled.inChannels = in[1];
    tiled.outChannels = out[1];
    tiled.height = in[2];
    tiled.width = in[3];
    tiled.outHeight = out[2];
    tiled.outWidth = out[3];
    tiled.kernelHeight = shape.window.kernel[0];
    tiled.kernelWidth = shape.window.kernel[1];
    tiled.strideDown = shape.window.stride[0];
    tiled.strideAcross = shape.window.stride[1];
    tiled.dilationDown = shape.window.dilation[0];
    tiled.dilationAcross = shape.window.dilation[1];
    tiled.paddingTop = shape.window.padding[0];
    tiled.paddingLeft = shape.window.padding[1];
    tiled.isDepthwise = isDepthwise;
    tiled.isBlocked = *layout != TensorLayout::ChannelsLast;
    tiled.lanes = tiled.isBlocked ? plan::channelBlock(*layout) : hasLanes(16) ? 16 : 8;
    tiled.after = *fused;
    if (!canTile(tiled) || flopsOf(tiled) > kMostFlops)
        return std::nullopt;
    made.key = keyOf(made, toString(*layout));
    return made;
}

std::vector<KernelAxis> tileAxes(const ConvolutionCase &convolution)
{
    const TiledConvolution &what = convolution.tiled;
    KernelAxis columns{"columns", {}};
    const bool isFlat = what.kernelHeight * what.kernelWidth == 1;
    std::ranges::copy_if(tileColumns(), std::back_inserter(columns.values),
                         [&](int width) { return width == 1 || isFlat || width <= what.outWidth; });
    KernelAxis blocks{"blocks", {1}};
    for (int count = 2; count <= kMostTileBlocks && !what.isDepthwise && count <= what.outBlocks(); ++count)
        blocks.values.push_back(count);
    KernelAxis rows{"rows", {}};
    std::ranges::copy_if(kTileRows, std::back_inserter(rows.values),
                         [&](int count) { return count == 1 || count / 2 < what.outHeight; });
    return {columns,
            blocks,
            rows,
            {"order", {0, 1, 2}},
            {"parallel", convolution.threads > 1 ? std::vector{0, 1} : std::vector{0}}};
}

std::optional<ConvolutionTiles> tilesFrom(const TiledConvolution &convolution, const KernelParameters &parameters)
{
    if (parameters.size() != 5)
        return std::nullopt;
    const ConvolutionTiles tiles{parameters[0], parameters[1], parameters[2],
                                 static_cast<ConvolutionTiles::Order>(parameters[3]), parameters[4] != 0};
    const bool isKnown = std::ranges::find(tileColumns(), tiles.columns) != tileColumns().end() && tiles.blocks >= 1 &&
                         tiles.blocks <= (convolution.isDepthwise ? 1 : kMostTileBlocks) && tiles.rows >= 1 &&
                         parameters[3] >= 0 && parameters[3] <= 2;
    return isKnown ? std::optional(tiles) : std::nullopt;
}

std::vector<float> featuresOf(const ConvolutionCase &convolution)
{
    const TiledConvolution &what = convolution.tiled;
    std::vector<float> features;
    const auto add = [&](auto value) {
        features.push_back(static_cast<float>(std::log2(1 + static_cast<double>(value))));
    };
    for (const std::int64_t value : {what.batch, what.inChannels, what.outChannels, what.outHeight, what.outWidth,
                                     what.kernelHeight * what.kernelWidth, what.strideAcross, what.dilationAcross,
                                     std::int64_t{what.isDepthwise}, std::int64_t{convolution.threads}})
        add(value);
    add(flopsOf(what));
    features.push_back(static_cast<float>(what.outChannels % what.lanes) / static_cast<float>(what.lanes));
    return features;
}

} // namespace stagecraft::cpu
