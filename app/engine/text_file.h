#pragma once

// Small text files, read and written whole.

#include "support/result.h"

#include <string>

namespace stagecraft {

// Refuses folders, unreadable files and files over 256 MiB. The error names the file.
[[nodiscard]] Result<std::string> readTextFile(const std::string &path);

// All or nothing: into a neighbour first, then renamed over what was there.
[[nodiscard]] Result<void> writeTextFile(const std::string &path, const std::string &content);

} // namespace stagecraft
