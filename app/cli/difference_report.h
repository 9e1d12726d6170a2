#pragma once

// compare --differences: where schedules differ, as a table.

#include "schedule/compare/difference.h"

#include <string>
#include <vector>

namespace stagecraft {

struct SideTitle {
    std::string name;
    bool hasStreams = false;
};

// One row for the whole, the time between stages, every block and, in blocks that differ, every span that differs;
// consecutive equal spans share a row. All are compared with the first schedule. `titles`: of the schedules, in order.
[[nodiscard]] std::string differenceText(const ScheduleDifference &difference, const std::vector<SideTitle> &titles);

} // namespace stagecraft
