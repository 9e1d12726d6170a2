#include "support/number_text.h"

#include <array>
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

std::string counted(std::int64_t count, const std::string &noun)
{
    return grouped(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string percent(double share)
{
    return std::isfinite(share) ? fixedText(share * 100, 1) + " %" : "unknown";
}

std::string plainLatency(double latencyUs)
{
    return latencyUs < 1000 ? fixedText(latencyUs, 1) + " us" : fixedText(latencyUs / 1000, 3) + " ms";
}

std::string plainBytes(double bytes)
{
    constexpr std::array kUnits{" B", " KiB", " MiB", " GiB", " TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit)
        bytes /= 1024;
    return fixedText(bytes, unit == 0 ? 0 : 2) + kUnits[unit];
}

std::string speedupText(double speedup)
{
    return fixedText(speedup, 2) + 'x';
}

std::string fixedText(double value, int digits)
{
    if (std::abs(value) < 0.5 * std::pow(10.0, -digits))
        value = 0;
    char text[400]; // the largest double has 309 digits
    return {text, std::to_chars(text, std::end(text), value, std::chars_format::fixed, digits).ptr};
}

std::string exactText(double value)
{
    char text[32];
    return {text, std::to_chars(text, std::end(text), value).ptr};
}

} // namespace stagecraft
