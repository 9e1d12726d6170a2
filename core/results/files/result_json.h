#pragma once

// A result in a session file (results/files/session_json.h). Only for sources that include nlohmann's JSON themselves.

#include "graph/operator_names.h"
#include "results/files/session.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace stagecraft {

// `model`: its index among the models of the session, with the names of its operators.
[[nodiscard]] nlohmann::ordered_json resultJson(const ScheduleResult &result, std::size_t model,
                                                const OperatorNames &names);

// `names`: one per model. Errors: InvalidInput, naming the place.
[[nodiscard]] Result<ScheduleResult> resultFrom(const nlohmann::json &json, const std::vector<SessionModelPtr> &models,
                                                const std::vector<OperatorNames> &names);

} // namespace stagecraft
