#pragma once

// The terminal a person may be sitting at.

#include <optional>

namespace stagecraft {

// Columns as they are now; nothing where the stream is no terminal. One that does not tell its width has 80.
[[nodiscard]] std::optional<int> terminalColumns(int descriptor);

} // namespace stagecraft
