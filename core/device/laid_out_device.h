#pragma once

// Schedules that state layouts (Schedule::layouts) on a device that executes them: each set of layouts has a session of
// its own, on the graph with its conversions. Schedules without layouts, and single stages, run as before. Latencies of
// conversions count between the stages; timelines show them in the stage that they are for.

#include "device/device.h"

#include <memory>

namespace stagecraft {

[[nodiscard]] std::unique_ptr<Device> layingOutDevice(std::unique_ptr<Device> device);

// The same for a device that does not: a schedule with layouts is refused (WrongUse).
[[nodiscard]] std::unique_ptr<Device> refusingLayouts(std::unique_ptr<Device> device);

} // namespace stagecraft
