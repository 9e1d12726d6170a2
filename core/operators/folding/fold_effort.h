#pragma once

// What evaluating a node of constants costs, at most: counted before it is done. Private to core/operators.

#include "operators/folding/fold.h"
#include "operators/schema.h"

#include <span>

namespace stagecraft {

// `outputs`: their shapes, which are known. All operands are constants.
[[nodiscard]] FoldEffort effortOf(const NodeFacts &node, const OperatorSchema &schema, std::span<const Shape> outputs);

} // namespace stagecraft
