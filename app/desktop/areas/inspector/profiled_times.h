#pragma once

// What the profiles on the shelf took for the operators of a stage.

#include "schedule/schedule.h"
#include "widgets/inspector/profiled_time.h"

#include <vector>

namespace stagecraft {

class Results;

// Of profiles of the current result's model and batch size, but the current result itself. Only kernels that are mapped
// to these operators count: a profile without any is left out, and one whose timeline is not made, unless its stages
// are of these operators alone.
[[nodiscard]] std::vector<ProfiledTime> profiledTimes(const Results &results, const Stage &stage);

} // namespace stagecraft
