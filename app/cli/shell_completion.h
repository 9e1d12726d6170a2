#pragma once

// Scripts by which shells complete the words of the command line.

#include "cli/completed_command.h"

#include <string>
#include <vector>

namespace stagecraft {

// For ~/.local/share/bash-completion/completions/stagecraft-cli, a folder of $fpath as _stagecraft-cli, and
// ~/.config/fish/completions/stagecraft-cli.fish.
[[nodiscard]] std::string bashCompletion(const std::vector<CompletedCommand> &commands);
[[nodiscard]] std::string zshCompletion(const std::vector<CompletedCommand> &commands);
[[nodiscard]] std::string fishCompletion(const std::vector<CompletedCommand> &commands);

} // namespace stagecraft
