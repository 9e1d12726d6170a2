#include "reproduction/reproduction_numbers.h"

#include "support/number_text.h"

#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

std::string signedPercent(double percent)
{
    const std::string text = fixedText(percent, 1) + " %";
    return text.starts_with('-') ? text : '+' + text;
}

} // namespace

std::string numberText(double value)
{
    const double size = std::abs(value);
    if (size >= 1e7)
        return fmt::format("{:.2g}", value);
    if (size >= 1000 || (size >= 1 && value == std::floor(value)))
        return grouped(std::llrint(value));
    return fixedText(value, size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

std::string errorPercentText(double error)
{
    return signedPercent(100 * error);
}

std::string summaryText(const ErrorSummary &errors)
{
    if (errors.entries == 0)
        return "nothing to compare";
    return fmt::format("mean error {} %, worst {}, {} {}", fixedText(errors.meanPercent, 1),
                       signedPercent(errors.worstPercent), errors.entries, errors.entries == 1 ? "entry" : "entries");
}

std::string unitText(const std::string &unit)
{
    return unit == "us" ? "µs" : unit;
}

} // namespace stagecraft
