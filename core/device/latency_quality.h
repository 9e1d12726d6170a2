#pragma once

// Which of two measurements of the same thing is worth keeping. What "disturbed" means is said in support/timing.h.

#include "support/timing.h"

namespace stagecraft {

// Greater than zero, finite, and with a spread that can be: what else a store holds was not measured.
[[nodiscard]] bool isUsable(const Timing &timing);

// A latency that is not disturbed before one that is, whichever came first; of two that are not, the later one; of two
// that are, the one whose clocks were not held down, then the one of the smaller spread.
[[nodiscard]] bool isBetter(const Timing &later, const Timing &earlier);

} // namespace stagecraft
