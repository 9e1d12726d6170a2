#include "cli/option_checks.h"

#include <set>
#include <sstream>
#include <utility>

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

constexpr std::int64_t kMostOfARange = 1000;

// Of "1..5"; of "3" twice the same.
std::pair<std::string, std::string> endsOf(const std::string &text)
{
    const std::size_t dots = text.find("..");
    return dots == std::string::npos ? std::pair(text, text) : std::pair(text.substr(0, dots), text.substr(dots + 2));
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

CLI::Validator wholeNumbers(std::int64_t lowest, std::int64_t highest)
{
    const CLI::Validator single = wholeNumber(lowest, highest);
    return {[=](std::string &text) {
                auto [first, last] = endsOf(text);
                std::string wrong = single(first);
                if (wrong.empty())
                    wrong = single(last);
                if (!wrong.empty() || first == last)
                    return wrong;
                const std::int64_t count = std::stoll(last) - std::stoll(first) + 1;
                if (count < 1)
                    return text + " ends before it begins";
                return count <= kMostOfARange ? wrong
                                              : text + " is more than " + std::to_string(kMostOfARange) + " numbers";
            },
            ""};
}

std::vector<int> numbersOf(const std::vector<std::string> &texts)
{
    std::set<int> numbers;
    for (const std::string &text : texts) {
        const auto [first, last] = endsOf(text);
        for (int number = std::stoi(first); number <= std::stoi(last); ++number)
            numbers.insert(number);
    }
    return {numbers.begin(), numbers.end()};
}

} // namespace stagecraft
