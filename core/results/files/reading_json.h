#pragma once

// How a model was read (graph/model_reference.h), in session and schedule files.

#include "graph/model_reference.h"
#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

namespace stagecraft {

// Reads what eachMember of graph/model_reference_record.h writes. Errors name the member.
[[nodiscard]] Result<void> readReading(const nlohmann::json &json, Reading &reading);

} // namespace stagecraft
