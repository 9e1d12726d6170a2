#pragma once

// How fast a processor's core runs now. Told only where the kernel reads it from the hardware or sets it: virtual
// machines mostly know a nominal frequency, which is no clock that anything ran at.

#include "support/clock_rates.h"

#include <string>

namespace stagecraft {

// Of the processor with the kernel's number. `root`: where /sys and /proc are looked for. The memory's clock is not
// known.
[[nodiscard]] ClockRates processorClock(int processor, const std::string &root = {});

} // namespace stagecraft
