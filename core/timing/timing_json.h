#pragma once

// A timing as members of a JSON object: a schedule file, one of its stages, a line of a recording, an answer. For
// sources that use nlohmann's JSON.

#include "support/result.h"
#include "timing/timing.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace stagecraft {

// Adds latency_us, mean_us, stddev_us, runs, clock_mhz, memory_clock_mhz and slowed_by; unknown members are left out.
void addTiming(nlohmann::ordered_json &json, const Timing &timing);

// Empty if the object has no latency_us, or null. An impossible clock counts as unknown. Errors: InvalidInput, naming
// the member.
[[nodiscard]] Result<std::optional<Timing>> timingFrom(const nlohmann::json &object);

} // namespace stagecraft
