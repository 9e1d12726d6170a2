#pragma once

// For what streams without barriers are not made for yet.

#include "schedule/schedule.h"
#include "support/result.h"

#include <string_view>

namespace stagecraft {

// WrongUse if the schedule has streams: "WHAT takes a schedule with stages, and this one has streams without barriers".
[[nodiscard]] Result<void> requireStages(const Schedule &schedule, std::string_view what);

} // namespace stagecraft
