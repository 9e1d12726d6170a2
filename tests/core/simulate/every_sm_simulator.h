#pragma once

// The contract of simulate/block_scheduler.h once more, as plainly as possible and without its shortcuts: every SM by
// itself, every block by itself, shares of bandwidth found by bisection. Slow; the judge of the fast one.

#include "simulate/block_scheduler.h"

#include <span>

namespace stagecraft::test {

[[nodiscard]] double runEverySm(const SmLimits &limits, std::span<const Launch> launches);

} // namespace stagecraft::test
