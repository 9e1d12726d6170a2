#pragma once

#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace stagecraft {

// The bytes of a regular file. Refuses what is missing, a folder, unreadable, empty or larger than `limitBytes`, in
// words that do not repeat the path (the caller adds it as context).
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path &path, std::uintmax_t limitBytes);

} // namespace stagecraft
