#pragma once

// Makes text from files (names of operators, tensors, files) safe to show. Control characters would command the
// terminal, and direction marks would reorder the text around them: both are escaped, as "\n", "\x1b" or "\u202e" (from
// U+007F on as in JSON), and so are invalid UTF-8 bytes.

#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] std::string shownText(std::string_view text);

} // namespace stagecraft
