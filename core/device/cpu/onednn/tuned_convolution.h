#pragma once

// Convolutions that a kernel of our own can compute in the layouts that the library chose: their keys, and the
// parameters of their tiles.

#include "device/cpu/onednn/primitives.h"
#include "device/cpu/tuned/tiled_convolution.h"
#include "device/kernel_tuning.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::cpu {

struct ConvolutionCase {
    std::string key;
    std::string op; // its name
    ConvShape shape;
    Activation after;
    Desc source;
    Desc destination;
    int threads = 1;
    TiledConvolution tiled;
};

// Empty: neither depthwise nor dense, too large to be worth it, in layouts or behind an activation that there is no
// code for.
[[nodiscard]] std::optional<ConvolutionCase> tunableConvolution(const ConvShape &shape, const Desc &source,
                                                                const Desc &destination, const Activation &after,
                                                                const std::string &op, int threads);

[[nodiscard]] std::vector<KernelAxis> tileAxes(const ConvolutionCase &convolution);
// Empty: none that tileAxes() names.
[[nodiscard]] std::optional<ConvolutionTiles> tilesFrom(const TiledConvolution &convolution,
                                                        const KernelParameters &parameters);
// Work, shapes and threads as logarithms, for a learned model.
[[nodiscard]] std::vector<float> featuresOf(const ConvolutionCase &convolution);
[[nodiscard]] double flopsOf(const TiledConvolution &convolution);

} // namespace stagecraft::cpu
