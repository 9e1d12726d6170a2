#pragma once

// Executes operators whose inputs are all constants: computations on shapes, and rearranged weights.

#include "model/onnx/file/node.h"
#include "model/onnx/fold/fold_budget.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace stagecraft {

// The constants that the node produces; empty if its type is not folded, its inputs do not fit, or the budget does not
// allow it. `folder` is where external data of a Constant node is read from. Shape and Size fold whenever the shape is
// known.
[[nodiscard]] std::optional<std::vector<Constant>>
foldConstants(const OnnxNode &node, const std::filesystem::path &folder, FoldBudget &budget);

// For each element of a broadcast to `to`, the linear index it reads in a tensor of shape `from`; empty if the shapes
// do not fit.
[[nodiscard]] std::optional<std::vector<std::int64_t>> broadcastIndices(const std::vector<std::int64_t> &from,
                                                                        const std::vector<std::int64_t> &to);

} // namespace stagecraft
