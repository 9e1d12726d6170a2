#pragma once

// How deep the lists and objects of a JSON text are within each other: to be asked before it is parsed, since what
// walks a parsed text goes down as deep, and may reach the end of the stack.

#include <cstddef>
#include <string_view>

namespace stagecraft {

// No file that this program reads nests half as deep.
[[nodiscard]] inline bool nestsTooDeeply(std::string_view text)
{
    constexpr int kDeepest = 64;
    int depth = 0;
    bool isInString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isInString && c == '\\')
            ++i; // whatever follows is part of the string
        else if (c == '"')
            isInString = !isInString;
        else if (!isInString && (c == '[' || c == '{') && ++depth > kDeepest)
            return true;
        else if (!isInString && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

} // namespace stagecraft
