#include "support/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace stagecraft {
std::string grouped(std::int64_t count)
{
    std::string text = fmt::to_string(count);
    const std::size_t first = count < 0 ? 1 : 0;
    for (std::size_t end = text.size(); end > first + 3; end -= 3)
        text.insert(end - 3, ",");
    return text;
}

std::string counted(std::int64_t count, const std::string &noun)
{
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
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
    return fmt::format("{:.{}f}", value, digits);
}

std::string exactText(double value)
{
    char text[32];
    return {text, std::to_chars(text, std::end(text), value).ptr};
}

} // namespace stagecraft
