#pragma once

// Programs of this project that other ones start.

#include <filesystem>
#include <string>

namespace stagecraft {

// Next to this program, or in the `bin` folder next to its own. The place where it should be if it is in neither.
[[nodiscard]] std::filesystem::path siblingProgram(const std::string &name);

} // namespace stagecraft
