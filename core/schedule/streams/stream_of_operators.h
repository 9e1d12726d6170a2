#pragma once

// A schedule for programs that only know streams.

#include "schedule/schedule.h"

#include <cstddef>
#include <vector>

namespace stagecraft {

// By operator: its stream, or the group of its stage, so that the first groups of all stages are the first stream.
// Merged operators are in the first. The schedule is verified (schedule/verify.h).
[[nodiscard]] std::vector<std::size_t> streamOfOperators(const Schedule &schedule);

} // namespace stagecraft
