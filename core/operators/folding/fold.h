#pragma once

// Executes operators whose operands are all constants: computations on shapes, and rearranged weights.

#include "operators/node_facts.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

// What folding a node would cost.
struct FoldEffort {
    std::int64_t made = 0;    // elements produced, at most 8 bytes each
    std::int64_t visited = 0; // coordinates and elements visited
};

// Whether the node may be folded, as far as types and operands tell; then what that costs at most.
[[nodiscard]] std::optional<FoldEffort> foldEffort(const NodeFacts &node);
// The constants that the node produces; empty if its type is not folded or its operands do not fit.
[[nodiscard]] std::optional<std::vector<Constant>> fold(const NodeFacts &node);

// `value`, which has one element, repeated to a shape. Empty if the shape is absurd.
[[nodiscard]] std::optional<Constant> filled(const Constant &value, const std::vector<std::int64_t> &dims);

// For each element of a broadcast to `to`, the linear index it reads in a tensor of shape `from`; empty if the shapes
// do not fit.
[[nodiscard]] std::optional<std::vector<std::int64_t>> broadcastIndices(const std::vector<std::int64_t> &from,
                                                                        const std::vector<std::int64_t> &to);

} // namespace stagecraft
