#pragma once

// A second, plain implementation of device/simulated/block_scheduler.h without its shortcuts: every SM and every block
// separately, shares of bandwidth by bisection. Slow; the reference for the fast one.

#include "device/simulated/block_scheduler.h"

#include <span>

namespace stagecraft::test {

[[nodiscard]] double runEverySm(const SmLimits &limits, std::span<const Launch> launches);

} // namespace stagecraft::test
