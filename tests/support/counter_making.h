#pragma once

// Counters of hand-made timelines.

#include "timing/timeline/timeline.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::test {

inline CounterSeries counter(std::string name, double maximum, std::vector<std::int64_t> timesNs,
                             std::vector<double> values)
{
    CounterSeries series;
    series.name = std::move(name);
    series.maximum = maximum;
    series.timesNs = std::move(timesNs);
    series.values = std::move(values);
    return series;
}

} // namespace stagecraft::test
