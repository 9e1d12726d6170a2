#include "timing/latency_quality.h"

#include <cmath>
#include <utility>

namespace stagecraft {

bool isUsable(const Timing &timing)
{
    const auto isLatency = [](double us) { return std::isfinite(us) && us > 0; };
    return isLatency(timing.latencyUs) && isLatency(timing.meanUs) && std::isfinite(timing.stddevUs) &&
           timing.stddevUs >= 0 && timing.runs >= 0;
}

bool isBetter(const Timing &later, const Timing &earlier)
{
    if (!later.isDisturbed() || !isUsable(earlier))
        return true;
    const auto onError = [](const Timing &timing) {
        return std::pair{!timing.clocks.slowedBy.empty(), timing.stddevUs / timing.meanUs};
    };
    return earlier.isDisturbed() && onError(later) < onError(earlier);
}

} // namespace stagecraft
