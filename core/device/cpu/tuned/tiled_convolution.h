#pragma once

// Convolutions of our own whose tiles are chosen when they run: depthwise ones and dense ones of one group, float32,
// with a bias and a rectifier; source and destination both channels last, or both in the same blocked layout. Vectors
// are those of the processor (AVX2: 8 channels, AVX-512: 16), found out when the program runs.

#include <array>
#include <cstdint>
#include <vector>

namespace stagecraft::cpu {

struct TiledConvolution {
    enum class After { Nothing, Relu, Relu6 };

    std::int64_t batch = 1;
    std::int64_t inChannels = 1;
    std::int64_t outChannels = 1;
    std::int64_t height = 1, width = 1; // of the source
    std::int64_t outHeight = 1, outWidth = 1;
    std::int64_t kernelHeight = 1, kernelWidth = 1;
    std::int64_t strideDown = 1, strideAcross = 1;
    std::int64_t dilationDown = 1, dilationAcross = 1;
    std::int64_t paddingTop = 0, paddingLeft = 0;
    std::int64_t lanes = 16; // channels of a vector; of a blocked layout those of a block
    bool isBlocked = false;  // otherwise channels last
    bool isDepthwise = false;
    After after = After::Nothing;

    [[nodiscard]] std::int64_t inBlocks() const { return (inChannels + lanes - 1) / lanes; }
    [[nodiscard]] std::int64_t outBlocks() const { return (outChannels + lanes - 1) / lanes; }
    // The first channel of a vector: with channels last, the last vector overlaps the one before it.
    [[nodiscard]] std::int64_t firstOf(std::int64_t block) const
    {
        const std::int64_t first = block * lanes;
        return isBlocked || first + lanes <= outChannels ? first : outChannels - lanes;
    }
};

struct ConvolutionTiles {
    // What is computed before the next of its kind begins: all channels of some rows, all rows of some channels, or all
    // channels of the columns of a tile.
    enum class Order { Rows, Channels, Columns };

    int columns = 1; // of the output that are accumulated together
    int blocks = 1;  // of output channels that are accumulated together; 1 for depthwise ones
    int rows = 1;    // of the output in one piece of work
    Order order = Order::Rows;
    bool isParallel = false; // on all threads of the caller's OpenMP width
};

// Widths of tiles that there is code for, ascending; for all others that of the largest below them is used.
[[nodiscard]] const std::vector<int> &tileColumns();
inline constexpr int kMostTileBlocks = 4;

// Whether this processor has vectors of so many floats.
[[nodiscard]] bool hasLanes(std::int64_t lanes);
// Whether there is code for the convolution: vectors, and channels enough for one.
[[nodiscard]] bool canTile(const TiledConvolution &convolution);

// Floats that begin at a cache line: a vector of them that does not costs two loads.
struct alignas(64) FloatLine {
    std::array<float, 16> values;
};
using AlignedFloats = std::vector<FloatLine>;
[[nodiscard]] inline const float *floatsOf(const AlignedFloats &lines)
{
    return lines.empty() ? nullptr : lines.front().values.data();
}

// Weights (row-major: output channel, input channel of the group, kernel) as runTiled() reads them.
[[nodiscard]] AlignedFloats tiledWeights(const TiledConvolution &convolution, const float *weights);
// One value per lane of every block; null: zeros.
[[nodiscard]] AlignedFloats tiledBias(const TiledConvolution &convolution, const float *bias);

// Of blocked layouts, padded channels of the source are read as the zeros that they are, and zeros are written to those
// of the destination.
void runTiled(const TiledConvolution &convolution, const ConvolutionTiles &tiles, const float *source,
              const float *weights, const float *bias, float *destination);

} // namespace stagecraft::cpu
