#pragma once

// The texts of resources/devices/*.json, compiled in so that the program works from any folder.

#include <span>
#include <string_view>

namespace stagecraft {

[[nodiscard]] std::span<const std::string_view> embeddedDeviceTexts();

} // namespace stagecraft
