#pragma once

// Explains wrong use of the program, from what CLI11 found: the wrong option or word, what was probably meant, and
// where the help is.

#include "support/result.h"

#include <span>
#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace stagecraft {

// `arguments`: as typed, without the name of the program.
[[nodiscard]] Error wrongUse(const CLI::App &program, const CLI::ParseError &error,
                             std::span<const std::string> arguments);

// Names of the commands of the program or of a command.
[[nodiscard]] std::vector<std::string> commandNames(const CLI::App &app);

} // namespace stagecraft
