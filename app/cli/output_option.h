#pragma once

// Checks -o, for every command that has it.

#include "support/result.h"

namespace CLI {
class App;
}

namespace stagecraft {

struct CommandLine;
class Terminal;

// Refuses, by name, an output that is one of the command's input files, a file of another kind than the command writes
// (export/file_kind.h; not with --force), and two documents on standard output. If -o is standard output, the text
// for people goes to standard error.
[[nodiscard]] Result<void> settleOutput(const CLI::App &app, const CommandLine &line, Terminal &terminal);

} // namespace stagecraft
