#pragma once

// The shape rules of the rows in *_rows.cpp. See ShapeRule in operators/schema.h.

#include "operators/schema.h"

namespace stagecraft::shape_rules {

using Dims = std::vector<std::int64_t>;
using Shapes = Result<std::vector<Shape>>;

[[nodiscard]] tl::unexpected<Error> refuse(std::string message);
[[nodiscard]] Shapes one(Dims dims);
[[nodiscard]] Shapes unknown(std::size_t count = 1);
[[nodiscard]] std::string listing(const Dims &dims);

[[nodiscard]] std::optional<Dims> broadcastDims(const Dims &a, const Dims &b);

// element_shapes.cpp: every element by itself, sums over axes, products of matrices.
[[nodiscard]] Shapes likeFirst(const NodeFacts &node);
[[nodiscard]] Shapes alongAxis(const NodeFacts &node); // like the first, which has the axis
[[nodiscard]] Shapes likeSecond(const NodeFacts &node);
[[nodiscard]] Shapes broadcastAll(const NodeFacts &node);
[[nodiscard]] Shapes slopes(const NodeFacts &node);
[[nodiscard]] Shapes reduced(const NodeFacts &node);
[[nodiscard]] Shapes reducedToPlace(const NodeFacts &node);
[[nodiscard]] Shapes matrixProduct(const NodeFacts &node);
[[nodiscard]] Shapes generalProduct(const NodeFacts &node);
[[nodiscard]] Shapes recurrent(const NodeFacts &node);
[[nodiscard]] Shapes largest(const NodeFacts &node);
[[nodiscard]] Shapes normalized(const NodeFacts &node);
[[nodiscard]] Shapes quantizedByItself(const NodeFacts &node);

// movement_shapes.cpp: the same values in another shape, order or number.
[[nodiscard]] Shapes transposed(const NodeFacts &node);
[[nodiscard]] Shapes joined(const NodeFacts &node);
[[nodiscard]] Shapes gathered(const NodeFacts &node);
[[nodiscard]] Shapes sliced(const NodeFacts &node);
[[nodiscard]] Shapes split(const NodeFacts &node);
[[nodiscard]] Shapes expanded(const NodeFacts &node);
[[nodiscard]] Shapes tiled(const NodeFacts &node);
[[nodiscard]] Shapes inBlocks(const NodeFacts &node);
[[nodiscard]] Shapes reshaped(const NodeFacts &node);

// Starts and steps per dimension of a Slice, clamped to the shape as the specification says. Empty if not constant.
struct SliceRange {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};
[[nodiscard]] std::optional<std::vector<SliceRange>> sliceRanges(const NodeFacts &node, const Dims &dims);
// The target shape of a Reshape, Flatten, Squeeze or Unsqueeze; empty if unknown, an error if it does not fit.
[[nodiscard]] Result<std::optional<Dims>> reshapedDims(const NodeFacts &node, const Dims &dims);

// further_shapes.cpp: operators that models have less often.
[[nodiscard]] Shapes scalar(const NodeFacts &node);
[[nodiscard]] Shapes shapeOf(const NodeFacts &node);
[[nodiscard]] Shapes gatheredNd(const NodeFacts &node);
[[nodiscard]] Shapes oneHot(const NodeFacts &node);
[[nodiscard]] Shapes ranged(const NodeFacts &node);
[[nodiscard]] Shapes repeated(const NodeFacts &node);
[[nodiscard]] Shapes nonZero(const NodeFacts &node);
[[nodiscard]] Shapes compressed(const NodeFacts &node);
[[nodiscard]] Shapes unique(const NodeFacts &node);
[[nodiscard]] Shapes suppressed(const NodeFacts &node);
[[nodiscard]] Shapes cropped(const NodeFacts &node);
[[nodiscard]] Shapes columnsToImage(const NodeFacts &node);
[[nodiscard]] Shapes einsum(const NodeFacts &node);
[[nodiscard]] Shapes determinant(const NodeFacts &node);
[[nodiscard]] Shapes quantizedProduct(const NodeFacts &node);
[[nodiscard]] Shapes quantizedPair(const NodeFacts &node);
[[nodiscard]] Shapes unpooled(const NodeFacts &node);
[[nodiscard]] Shapes regions(const NodeFacts &node);
[[nodiscard]] Shapes sampledOnGrid(const NodeFacts &node);
[[nodiscard]] Shapes affineGrid(const NodeFacts &node);
[[nodiscard]] Shapes signalWindow(const NodeFacts &node);
[[nodiscard]] Shapes fourier(const NodeFacts &node);
[[nodiscard]] Shapes fourierFrames(const NodeFacts &node);
[[nodiscard]] Shapes likelihoodLoss(const NodeFacts &node);
[[nodiscard]] Shapes rotated(const NodeFacts &node);

// window_shapes.cpp: windows that slide over an image, and images that change size.
[[nodiscard]] Shapes windowed(const NodeFacts &node);
[[nodiscard]] Shapes pooledGlobally(const NodeFacts &node);
[[nodiscard]] Shapes padded(const NodeFacts &node);
[[nodiscard]] Shapes resized(const NodeFacts &node);

// Number of positions of a window along one dimension, which fits. A last window that would start in the padding after
// the input does not count.
[[nodiscard]] std::int64_t windowPositions(std::int64_t size, std::int64_t reach, std::int64_t stride,
                                           std::int64_t before, std::int64_t after, bool ceilMode);

} // namespace stagecraft::shape_rules
