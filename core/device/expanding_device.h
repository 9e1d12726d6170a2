#pragma once

// For devices that execute one operator after another: units that consist of several operators
// (graph/expanded_graph.h) reach them as these operators, in the group of the unit. Timelines name units.

#include "device/device.h"

#include <memory>

namespace stagecraft {

[[nodiscard]] std::unique_ptr<Device> expandingDevice(std::unique_ptr<Device> device);

} // namespace stagecraft
