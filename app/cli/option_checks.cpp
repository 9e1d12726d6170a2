#include "cli/option_checks.h"

#include "support/number_ranges.h"

#include <sstream>

namespace stagecraft {
namespace {

// Without a name: CLI11 would show it in the help.
template <typename Value, typename IsAllowed>
CLI::Validator checked(IsAllowed isAllowed, std::string wanted)
{
    return {[isAllowed, wanted](std::string &text) {
                Value value{};
                return CLI::detail::lexical_cast(text, value) && isAllowed(value)
                           ? std::string()
                           : (text.empty() ? "\"\"" : text) + " is not " + wanted;
            },
            ""};
}

std::string plain(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

} // namespace

CLI::Validator wholeNumber(std::int64_t lowest, std::int64_t highest)
{
    using Limits = std::numeric_limits<std::int64_t>;
    std::string wanted = "a whole number";
    if (highest != Limits::max())
        wanted += " from " + std::to_string(lowest) + " to " + std::to_string(highest);
    else if (lowest != Limits::min())
        wanted += " of at least " + std::to_string(lowest);
    return checked<std::int64_t>([=](std::int64_t value) { return value >= lowest && value <= highest; }, wanted);
}

CLI::Validator numberAbove(double bound)
{
    return checked<double>([=](double value) { return value > bound; }, "a number above " + plain(bound));
}

CLI::Validator numberAtLeast(double lowest)
{
    return checked<double>([=](double value) { return value >= lowest; }, "a number of at least " + plain(lowest));
}

CLI::Validator numberWithin(double lowest, double highest)
{
    return checked<double>([=](double value) { return value >= lowest && value <= highest; },
                           "a number from " + plain(lowest) + " to " + plain(highest));
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
