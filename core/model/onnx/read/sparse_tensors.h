#pragma once

// Sparse tensors of a model file, which everything else reads as dense ones.

#include "support/result.h"
#include "support/work_budget.h"

#include <filesystem>

namespace onnx {
class GraphProto;
} // namespace onnx

namespace stagecraft {

// Refuses a sparse tensor whose indices do not fit its shape, that takes more than the budget has left, or is of a type
// that is not read, naming it. `folder`: of the file.
[[nodiscard]] Result<void> writeSparseTensorsOut(onnx::GraphProto &graph, const std::filesystem::path &folder,
                                                 WorkBudget &work);

} // namespace stagecraft
