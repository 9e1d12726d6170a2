#pragma once

// Nodes that are constants or compute with constants, within the budget of a file.

#include "model/onnx/file/node.h"
#include "model/onnx/read/fold_budget.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace stagecraft {

// The constants that the node produces; empty if it is not folded (operators/folding/fold.h), or the budget does not
// allow it. `folder` is where external data of a Constant node is read from.
[[nodiscard]] std::optional<std::vector<Constant>> foldNode(const OnnxNode &node, const std::filesystem::path &folder,
                                                            FoldBudget &budget);

// Makes the value of a ConstantOfShape, which is an attribute in the file, its second operand: attributes of the graph
// hold no tensors.
void adoptRepeatedValue(OnnxNode &node, const std::filesystem::path &folder);

} // namespace stagecraft
