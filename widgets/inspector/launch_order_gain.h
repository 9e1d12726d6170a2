#pragma once

// The fastest order in which the operators of a stage can be launched, beside the one that it has.

#include "search/streams/launch_orders.h"

#include <optional>

namespace stagecraft {

struct LaunchOrderGain {
    double asItIsUs = 0; // the stage alone
    LaunchOrderChoice fastest;
};

} // namespace stagecraft
