#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stagecraft {

// The file of a device "sim:FILE" or "rec:FILE", with options, changed by hand or not; empty for other devices.
[[nodiscard]] std::filesystem::path deviceFile(std::string_view id);
// The id of the device that a file describes or was recorded on; empty if the file is something else. Reads its start.
[[nodiscard]] std::string deviceIn(const std::string &path);

} // namespace stagecraft
