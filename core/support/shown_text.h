#pragma once

// Text of files (names of operators, tensors, files) on its way to a person. Control characters would command the
// terminal, and marks of writing direction would reorder what stands beside them: both are spelled out, as "\n", "\x1b"
// or "\u202e" (from U+007F on as JSON spells them), and so are bytes that are no UTF-8.

#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] std::string shownText(std::string_view text);

} // namespace stagecraft
