#pragma once

// compare --differences: where schedules differ, as a table and as JSON.

#include "schedule/difference.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace stagecraft {

// One row for the whole, what lies between stages, every block and, of blocks that differ, every span that does; runs
// of equal spans share one. All compare with the first schedule. `names`: the schedules', in order.
[[nodiscard]] std::string differenceText(const ScheduleDifference &difference, const std::vector<std::string> &names);

[[nodiscard]] nlohmann::ordered_json differenceJson(const ScheduleDifference &difference);

} // namespace stagecraft
