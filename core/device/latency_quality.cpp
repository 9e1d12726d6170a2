#include "device/latency_quality.h"

#include <cmath>
#include <utility>

namespace stagecraft {

bool isUsable(const LatencySample &sample)
{
    const auto isLatency = [](double us) { return std::isfinite(us) && us > 0; };
    return isLatency(sample.medianUs) && isLatency(sample.meanUs) && std::isfinite(sample.stddevUs) &&
           sample.stddevUs >= 0 && sample.runs > 0;
}

bool isBetter(const LatencySample &later, const LatencySample &earlier)
{
    if (!later.isDisturbed() || !isUsable(earlier))
        return true;
    const auto trouble = [](const LatencySample &sample) {
        return std::pair{!sample.clocks.slowedBy.empty(), sample.stddevUs / sample.meanUs};
    };
    return earlier.isDisturbed() && trouble(later) < trouble(earlier);
}

} // namespace stagecraft
