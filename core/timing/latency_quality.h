#pragma once

// Which of two measurements of the same thing is worth keeping. What "disturbed" means is said in timing/timing.h.

#include "support/result.h"
#include "timing/timing.h"

#include <utility>

namespace stagecraft {

// Greater than zero and finite, with a valid spread. Anything else in a store was not measured.
[[nodiscard]] bool isUsable(const Timing &timing);

// A latency that is not disturbed is better than one that is, whichever came first. If neither is disturbed, the later
// one is better; if both are, one whose clocks were not held down, then the one with the smaller spread.
[[nodiscard]] bool isBetter(const Timing &later, const Timing &earlier);

// The better of two answers. The first stays if there is no second, unless the second was cancelled.
template <typename Latency>
[[nodiscard]] Result<Latency> better(Latency first, Result<Latency> second)
{
    if (second ? isBetter(second->timing, first.timing) : second.error().code == ErrorCode::Cancelled)
        return second;
    return first;
}

} // namespace stagecraft
