#pragma once

// The device that a profile was recorded on, as far as the profile names it. Its id is none that a device can be found
// by: its results are shown and compared, but nothing more can be measured there.

#include "device/device.h"

#include <string>
#include <string_view>

namespace stagecraft {

// "NVIDIA A100 (profile)"; of an empty name "unknown device (profile)".
[[nodiscard]] std::string profileDeviceId(const std::string &nameInProfile);
[[nodiscard]] bool isProfileDevice(std::string_view id);
[[nodiscard]] DeviceInfo profileDevice(const std::string &id);

} // namespace stagecraft
