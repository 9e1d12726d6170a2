#include "support/number_text.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace stagecraft {

std::string grouped(std::int64_t count)
{
    std::string text = std::to_string(count);
    const std::size_t first = count < 0 ? 1 : 0;
    for (std::size_t end = text.size(); end > first + 3; end -= 3)
        text.insert(end - 3, ",");
    return text;
}

std::string percent(double share)
{
    if (!std::isfinite(share))
        return "unknown";
    char text[400]; // the largest double has 309 digits
    const auto written = std::to_chars(text, std::end(text), share * 100, std::chars_format::fixed, 1);
    return std::string(text, written.ptr) + " %";
}

} // namespace stagecraft
