#pragma once

// The command line as a whole.

#include "cli/command_line.h"

namespace stagecraft {

// Without `draw`, exports that are drawn go on in the program stagecraft-pictures. Returns the exit status.
[[nodiscard]] int runCli(int argc, char **argv, const DrawExport &draw = {});

} // namespace stagecraft
