#include "support/shown_text.h"

#include <cstdint>
#include <fmt/format.h>

namespace stagecraft {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0; // 0: invalid UTF-8
};

Character firstOf(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    if (byte(0) < 0x80)
        return {byte(0), 1};
    const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
    if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length)
        return {};
    std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80)
            return {};
        code = code << 6U | (byte(i) & 0x3FU);
    }
    const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
    const bool isSurrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least || code > 0x10FFFF || isSurrogate ? Character{} : Character{code, length};
}

bool isHarmful(std::uint32_t code)
{
    const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
    return code < 0x20 || within(0x7F, 0x9F) ||                // controls
           code == 0x061C || within(0x200E, 0x200F) ||         // direction marks
           within(0x2028, 0x202E) || within(0x2066, 0x206F) || // line ends, embeddings, overrides, isolates
           code == 0xFEFF || within(0xFFF9, 0xFFFB) || within(0xE0000, 0xE007F);
}

std::string spelled(std::uint32_t code)
{
    switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
    }
    if (code >= 0x10000) // a surrogate pair
        return spelled(0xD7C0 + (code >> 10U)) + spelled(0xDC00 + (code & 0x3FFU));
    return code < 0x20 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

} // namespace

std::string shownText(std::string_view text)
{
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const Character next = firstOf(text);
        const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
        if (next.bytes == 0) {
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        } else if (isHarmful(next.code)) {
            shown += spelled(next.code);
        } else {
            shown += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
    }
    return shown;
}

} // namespace stagecraft
