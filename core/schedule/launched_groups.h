#pragma once

// In which order the operators of a concurrent stage are launched: group after group, or as the stage states.

#include "schedule/schedule.h"

#include <cstddef>
#include <vector>

namespace stagecraft {

struct GroupLaunch {
    OperatorId op;
    std::size_t group = 0; // of the stage
};

// All operators of the stage, in launch order.
[[nodiscard]] std::vector<GroupLaunch> launchesOf(const Stage &stage);

// The groups at their places, with the operators of each in launch order.
[[nodiscard]] std::vector<std::vector<OperatorId>> launchedGroups(const Stage &stage);

} // namespace stagecraft
