#pragma once

// compare --differences: where schedules differ, as a table and as JSON.

#include "schedule/compare/difference.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace stagecraft {

// One row for the whole, the time between stages, every block and, in blocks that differ, every span that differs;
// consecutive equal spans share a row. All are compared with the first schedule. `names`: of the schedules, in order.
[[nodiscard]] std::string differenceText(const ScheduleDifference &difference, const std::vector<std::string> &names);

[[nodiscard]] nlohmann::ordered_json differenceJson(const ScheduleDifference &difference);

} // namespace stagecraft
