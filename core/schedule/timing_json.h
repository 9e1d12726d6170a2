#pragma once

// A timing as members of a JSON object: of a schedule file, of one of its stages, of a recording's line, of an answer.
// For sources that have nlohmann's JSON themselves.

#include "support/result.h"
#include "support/timing.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace stagecraft {

// Adds latency_us, mean_us, stddev_us, runs, clock_mhz, memory_clock_mhz and slowed_by; what is not known is left out.
void addTiming(nlohmann::ordered_json &json, const Timing &timing);

// The same as an object, with null for what is not known.
[[nodiscard]] nlohmann::ordered_json timingJson(const Timing &timing);

// Nothing where the object has no latency_us, or null. A clock that cannot be one is not known. Errors: InvalidInput,
// naming the member.
[[nodiscard]] Result<std::optional<Timing>> timingFrom(const nlohmann::json &object);

} // namespace stagecraft
