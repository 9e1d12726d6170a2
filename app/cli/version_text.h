#pragma once

#include <string>

namespace stagecraft {

// "stagecraft-cli 0.1.0", and what it was built with, a line each.
[[nodiscard]] std::string versionText();

} // namespace stagecraft
