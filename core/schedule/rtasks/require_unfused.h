#pragma once

// For what has no fused stages: simulated devices and cpu run rTasks.

#include "schedule/schedule.h"
#include "support/result.h"

#include <span>
#include <string_view>

namespace stagecraft {

// WrongUse if a stage is fused: "stage 3: WHAT has no fused stages".
[[nodiscard]] Result<void> requireUnfused(std::span<const Stage> stages, std::string_view what);
[[nodiscard]] Result<void> requireUnfused(const Stage &stage, std::string_view what);

} // namespace stagecraft
