#pragma once

// The shape rules of single operators, for the table in shapes.cpp. A rule is called only if its first input is present
// and all shapes are known.

#include "model/onnx/shapes/shapes.h"

namespace stagecraft::shape_rules {

using Dims = std::vector<std::int64_t>;
using Shapes = Result<std::optional<std::vector<Shape>>>;

[[nodiscard]] Shapes one(Dims dims);
[[nodiscard]] Shapes unknown(std::size_t count = 1);
[[nodiscard]] std::size_t outputCount(const OnnxNode &node);
[[nodiscard]] std::string listing(const Dims &dims);

// layout_shapes.cpp: the same values in another shape, order or number.
[[nodiscard]] Shapes transposeShape(const OnnxNode &node);
[[nodiscard]] Shapes concatShape(const OnnxNode &node);
[[nodiscard]] Shapes gatherShape(const OnnxNode &node);
[[nodiscard]] Shapes sliceShape(const OnnxNode &node);
[[nodiscard]] Shapes splitShape(const OnnxNode &node);
[[nodiscard]] Shapes expandShape(const OnnxNode &node);
[[nodiscard]] Shapes tileShape(const OnnxNode &node);
[[nodiscard]] Shapes blockShape(const OnnxNode &node);
[[nodiscard]] Shapes reshapeShape(const OnnxNode &node);

// window_shapes.cpp: windows that slide over an image, and images that change size.
[[nodiscard]] Shapes windowShape(const OnnxNode &node);
[[nodiscard]] Shapes globalPoolShape(const OnnxNode &node);
[[nodiscard]] Shapes padShape(const OnnxNode &node);
[[nodiscard]] Shapes resizeShape(const OnnxNode &node);

} // namespace stagecraft::shape_rules
