#pragma once

// A CUDA graph checked: whether a path leads along each edge of the model.

#include "flow/verify/verified_plan.h"
#include "model/model.h"
#include "support/result.h"

#include <stop_token>
#include <string_view>

namespace stagecraft {

// Errors: InvalidInput: the text is damaged, its edges go round in a circle, it has too many nodes, or none of its
// kernels is known; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyCudaGraph(std::string_view text, const Model &model,
                                                   const std::stop_token &stop = {});

} // namespace stagecraft
