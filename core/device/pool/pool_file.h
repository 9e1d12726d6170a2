#pragma once

// The file of a pool: a device id a line; empty lines and what follows a # do not count.

#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft {

// The ids, in order. Errors: InvalidInput, naming file and line, if the file cannot be read, names nothing, or a line
// names another pool.
[[nodiscard]] Result<std::vector<std::string>> readPoolFile(const std::string &path);

} // namespace stagecraft
