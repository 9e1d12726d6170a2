#pragma once

// What a report says of a result, wherever it stands.

#include "results/rated_result.h"

#include <string>

namespace stagecraft {

// "3.922 ms", "at least 3.922 ms +- 12.0 us", "not measured".
[[nodiscard]] std::string reportedLatency(const RatedResult &result);
// What a user wrote, and why there is no schedule.
[[nodiscard]] std::string reportedNote(const RatedResult &result);
// A sentence; empty: there is one.
[[nodiscard]] std::string whyNoTimeline(const RatedResult &result);

} // namespace stagecraft
