#pragma once

// The members of a schedule file's or a recording's stage that say how its latency was timed; what is not known is left
// out. For sources that have nlohmann's JSON themselves.

#include "support/timing.h"

#include <nlohmann/json.hpp>

namespace stagecraft {

inline void addTiming(nlohmann::ordered_json &json, const Timing &timing)
{
    if (timing.runs > 0) {
        json["mean_us"] = timing.meanUs;
        json["stddev_us"] = timing.stddevUs;
        json["runs"] = timing.runs;
    }
    if (timing.clocks.coreMhz > 0)
        json["clock_mhz"] = timing.clocks.coreMhz;
    if (timing.clocks.memoryMhz > 0)
        json["memory_clock_mhz"] = timing.clocks.memoryMhz;
    if (!timing.clocks.slowedBy.empty())
        json["slowed_by"] = timing.clocks.slowedBy;
}

} // namespace stagecraft
