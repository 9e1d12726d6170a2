#pragma once

// The folding rules that compute (fold_arithmetic.cpp), and what they share with those that rearrange
// (fold_constants.cpp). A rule is only called with constants.

#include "model/onnx/fold/fold_constants.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft::fold_rules {

using Dims = std::vector<std::int64_t>;
using Folded = std::optional<std::vector<Constant>>;

inline constexpr std::int64_t kMaxFolded = std::int64_t{1} << 28; // elements of a result; more than any weight has

[[nodiscard]] std::optional<std::int64_t> foldableCount(const Dims &dims); // empty beyond kMaxFolded
[[nodiscard]] Folded one(Constant constant);
[[nodiscard]] Dims strides(const Dims &dims);

[[nodiscard]] Folded foldCast(const OnnxNode &node);
// The length of a Range of constants; empty if it is undefined or exceeds kMaxFolded.
[[nodiscard]] std::optional<std::int64_t> rangeLength(const OnnxNode &node);
[[nodiscard]] Folded foldRange(const OnnxNode &node);
[[nodiscard]] Folded foldBinary(const OnnxNode &node);
[[nodiscard]] Folded foldUnary(const OnnxNode &node);
[[nodiscard]] Folded foldWhere(const OnnxNode &node);
[[nodiscard]] Folded foldReduce(const OnnxNode &node);
[[nodiscard]] Folded foldDequantize(const OnnxNode &node);

} // namespace stagecraft::fold_rules
