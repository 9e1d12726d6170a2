#pragma once

// Replaces calls of a model file's local functions by what they stand for, also within subgraphs.

#include "support/result.h"
#include "support/work_budget.h"

#include <cstdint>
#include <map>
#include <string>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace stagecraft {

// Refuses functions that call themselves, or write out to more than the budget has left, naming them. `writtenOut`:
// counts the calls by type.
[[nodiscard]] Result<void> inlineFunctions(onnx::ModelProto &model, WorkBudget &work,
                                           std::map<std::string, std::int64_t> &writtenOut);

} // namespace stagecraft
