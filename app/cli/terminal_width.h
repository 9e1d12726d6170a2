#pragma once

// The width of the terminal.

#include <optional>

namespace stagecraft {

// The current number of columns; empty if the stream is not a terminal, 80 if the terminal does not tell.
[[nodiscard]] std::optional<int> terminalColumns(int descriptor);

} // namespace stagecraft
