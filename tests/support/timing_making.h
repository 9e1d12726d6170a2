#pragma once

// Timings with only a latency.

#include "timing/timing.h"

#include <vector>

namespace stagecraft::test {

[[nodiscard]] inline std::vector<Timing> timingsOf(const std::vector<double> &latenciesUs)
{
    std::vector<Timing> timings;
    for (const double us : latenciesUs)
        timings.push_back(Timing::ofLatency(us));
    return timings;
}

} // namespace stagecraft::test
