#pragma once

// Shapes of the outputs of operators, from their inputs and attributes. Source: the ONNX operator specification, opsets
// 7 to 21.

#include "model/onnx/file/node.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

// One shape per output; unknown if the rule needs a value that is not constant. Empty if there is no rule. An error if
// the inputs do not fit the operator.
[[nodiscard]] Result<std::optional<std::vector<Shape>>> outputShapes(const OnnxNode &node);

// The types with a rule.
[[nodiscard]] std::set<std::string> typesWithShapes();

[[nodiscard]] std::optional<std::vector<std::int64_t>> broadcastDims(const std::vector<std::int64_t> &a,
                                                                     const std::vector<std::int64_t> &b);

// Starts, ends and steps per dimension of a Slice, clamped to the shape as the specification says.
struct SliceRange {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};
[[nodiscard]] std::optional<std::vector<SliceRange>> sliceRanges(const OnnxNode &node,
                                                                 const std::vector<std::int64_t> &dims);

// The target shape of a Reshape, Flatten, Squeeze or Unsqueeze; empty if unknown, an error if it does not fit.
[[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> reshapedDims(const OnnxNode &node,
                                                                            const std::vector<std::int64_t> &dims);

// Window of a convolution or pool over `rank` spatial dimensions, with automatic padding resolved.
struct SpatialWindow {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> stride;
    std::vector<std::int64_t> dilation;
    std::vector<std::int64_t> padding; // all at the begin, then all at the end
};
[[nodiscard]] Result<SpatialWindow> spatialWindow(const OnnxNode &node, const std::vector<std::int64_t> &kernel,
                                                  const std::vector<std::int64_t> &inputDims);

} // namespace stagecraft
