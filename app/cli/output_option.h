#pragma once

// Checks -o, for every command that has it.

#include "support/result.h"

namespace CLI {
class App;
}

namespace stagecraft {

class Terminal;

// Refuses, by name, an output that is one of the command's input files, and two documents on standard output. If -o is
// standard output, the text for people goes to standard error.
[[nodiscard]] Result<void> settleOutput(const CLI::App &app, bool json, Terminal &terminal);

} // namespace stagecraft
