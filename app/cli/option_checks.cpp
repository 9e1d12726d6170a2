#include "cli/option_checks.h"

#include "support/number_ranges.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

// Without a name: CLI11 would show it in the help.
template <typename Value, typename IsAllowed>
CLI::Validator checked(IsAllowed isAllowed, const std::string &wanted)
{
    return {[isAllowed, wanted](std::string &text) {
                Value value{};
                return CLI::detail::lexical_cast(text, value) && isAllowed(value)
                           ? std::string()
                           : fmt::format("{} is not {}", text.empty() ? "\"\"" : text, wanted);
            },
            ""};
}

} // namespace

CLI::Validator wholeNumber(std::int64_t lowest, std::int64_t highest)
{
    using Limits = std::numeric_limits<std::int64_t>;
    std::string wanted = "a whole number";
    if (highest != Limits::max())
        wanted += fmt::format(" from {} to {}", lowest, highest);
    else if (lowest != Limits::min())
        wanted += fmt::format(" of at least {}", lowest);
    return checked<std::int64_t>([=](std::int64_t value) { return value >= lowest && value <= highest; }, wanted);
}

CLI::Validator numberAbove(double bound)
{
    return checked<double>([=](double value) { return value > bound; }, fmt::format("a number above {:g}", bound));
}

CLI::Validator numberAtLeast(double lowest)
{
    return checked<double>([=](double value) { return value >= lowest; },
                           fmt::format("a number of at least {:g}", lowest));
}

CLI::Validator numberWithin(double lowest, double highest)
{
    return checked<double>([=](double value) { return value >= lowest && value <= highest; },
                           fmt::format("a number from {:g} to {:g}", lowest, highest));
}

CLI::Validator wholeNumbers(int lowest, int highest)
{
    return {[=](std::string &text) {
                const auto range = numberRange(text, lowest, highest);
                return range ? std::string() : range.error().message;
            },
            ""};
}

} // namespace stagecraft
