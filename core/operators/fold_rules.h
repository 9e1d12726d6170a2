#pragma once

// The folding rules of the rows, which compute (fold_arithmetic.cpp) or rearrange (fold_layout.cpp). See FoldRule in
// operators/schema.h.

#include "operators/fold.h"

namespace stagecraft::fold_rules {

using Dims = std::vector<std::int64_t>;
using Folded = std::optional<std::vector<Constant>>;

inline constexpr std::int64_t kMaxFolded = std::int64_t{1} << 28; // elements of a result; more than any weight has

[[nodiscard]] std::optional<std::int64_t> foldableCount(const Dims &dims); // empty beyond kMaxFolded
[[nodiscard]] Folded one(Constant constant);
[[nodiscard]] Dims strides(const Dims &dims);

[[nodiscard]] Folded identity(const NodeFacts &node);
[[nodiscard]] Folded gather(const NodeFacts &node);
[[nodiscard]] Folded concat(const NodeFacts &node);
[[nodiscard]] Folded slice(const NodeFacts &node);
[[nodiscard]] Folded transpose(const NodeFacts &node);
[[nodiscard]] Folded expand(const NodeFacts &node);
[[nodiscard]] Folded split(const NodeFacts &node);
[[nodiscard]] Folded reshape(const NodeFacts &node);

[[nodiscard]] Folded cast(const NodeFacts &node);
// The length of a Range of constants; empty if it is undefined or exceeds kMaxFolded.
[[nodiscard]] std::optional<std::int64_t> rangeLength(const NodeFacts &node);
[[nodiscard]] Folded range(const NodeFacts &node);
[[nodiscard]] Folded binary(const NodeFacts &node);
[[nodiscard]] Folded unary(const NodeFacts &node);
[[nodiscard]] Folded where(const NodeFacts &node);
[[nodiscard]] Folded reduce(const NodeFacts &node);
[[nodiscard]] Folded dequantize(const NodeFacts &node);

} // namespace stagecraft::fold_rules
