#pragma once

#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace stagecraft {

// The bytes of a model file: readInputFile, but an empty file is refused.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path &path, std::uintmax_t limitBytes);

} // namespace stagecraft
