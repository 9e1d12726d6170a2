#include "results/rated_result.h"

namespace stagecraft {

std::optional<double> RatedResult::latencyUs() const
{
    if (latency)
        return latency->us;
    return schedule ? schedule->latencyUs() : std::nullopt;
}

} // namespace stagecraft
