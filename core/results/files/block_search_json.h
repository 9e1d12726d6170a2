#pragma once

// What a search found out about a block, as JSON: the same in session files and in answers of the command line. Only
// for sources that include nlohmann's JSON themselves.

#include "graph/operator_names.h"
#include "search/result.h"

#include <nlohmann/json_fwd.hpp>

namespace stagecraft {

[[nodiscard]] nlohmann::ordered_json blockSearchJson(const BlockSearch &block, const OperatorNames &names);

} // namespace stagecraft
