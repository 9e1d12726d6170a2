#include "reproduction/reproduction_numbers.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace stagecraft {

namespace {

std::string formatted(const char *format, double value)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

} // namespace

std::string numberText(double value)
{
    const double size = std::abs(value);
    if (size >= 1e7)
        return formatted("%.2g", value);
    if (size >= 1000 || (size >= 1 && value == std::floor(value))) {
        std::string text = formatted("%.0f", value);
        for (std::size_t i = text.size(); i > 3; i -= 3)
            text.insert(i - 3, ",");
        return text;
    }
    return formatted(size >= 100 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
}

std::string errorPercentText(double error)
{
    const double percent = 100 * error;
    return formatted("%+.1f %%", std::abs(percent) < 0.05 ? 0 : percent); // never "-0.0"
}

std::string summaryText(const ErrorSummary &errors)
{
    if (errors.entries == 0)
        return "nothing to compare";
    return "mean error " + formatted("%.1f %%", errors.meanPercent) + ", worst " +
           formatted("%+.1f %%", errors.worstPercent) + ", " + std::to_string(errors.entries) +
           (errors.entries == 1 ? " entry" : " entries");
}

std::string unitText(const std::string &unit)
{
    return unit == "us" ? "µs" : unit;
}

} // namespace stagecraft
