#pragma once

// The branches of an If whose condition is computed.

#include "model/onnx/file/node.h"
#include "model/onnx/read/fold_budget.h"

#include <filesystem>

namespace stagecraft {

// Its graphs become attributes of the node (Subgraph), constants in them further operands. `node`: with the operands of
// readNames. A branch with an operator that the program does not execute is left out; the attribute then names it.
void readBranches(OnnxNode &node, const std::filesystem::path &folder, FoldBudget &budget);

} // namespace stagecraft
