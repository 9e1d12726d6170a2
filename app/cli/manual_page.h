#pragma once

// The manual page (man(7)) from the same options as the help.

#include "cli/completed_command.h"

#include <string>
#include <vector>

namespace stagecraft {

// stagecraft-cli(1), with all commands. `version`: of the program.
[[nodiscard]] std::string manualPage(const std::vector<CompletedCommand> &commands, const std::string &footer,
                                     const std::string &version);

} // namespace stagecraft
