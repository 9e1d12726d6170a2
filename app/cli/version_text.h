#pragma once

#include <string>

namespace stagecraft {

// "stagecraft-cli 0.2.0", and what it was built with, one per line.
[[nodiscard]] std::string versionText();

} // namespace stagecraft
