#pragma once

// What a search found out about a block, as JSON: the same in session files and in answers of the command line. Only
// for sources that include nlohmann's JSON themselves.

#include "graph/operator_names.h"
#include "results/files/schedule_record.h"
#include "search/result.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace stagecraft {

[[nodiscard]] std::vector<NamedRunnerUp> namedRunnersUp(const BlockSearch &block, const OperatorNames &names);
[[nodiscard]] nlohmann::ordered_json blockSearchJson(const BlockSearch &block, const OperatorNames &names);

} // namespace stagecraft
