#pragma once

// The current clock of a processor core. Only reported if the kernel reads it from the hardware or sets it: virtual
// machines mostly know a nominal frequency, which is not the clock that code runs at.

#include "timing/clock_rates.h"

#include <string>

namespace stagecraft {

// `processor`: the kernel's number. `root`: prefix of /sys and /proc. The memory clock is unknown.
[[nodiscard]] ClockRates processorClock(int processor, const std::string &root = {});

} // namespace stagecraft
