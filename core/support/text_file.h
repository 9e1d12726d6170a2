#pragma once

// Small text files, read and written as a whole.

#include "support/result.h"

#include <string>

namespace stagecraft {

// Files and pipes, at most 256 MiB (support/input_file.h). The error names the file.
[[nodiscard]] Result<std::string> readTextFile(const std::string &path);

// All or nothing (support/output_file.h). The error names the file.
[[nodiscard]] Result<void> writeTextFile(const std::string &path, const std::string &content);

} // namespace stagecraft
