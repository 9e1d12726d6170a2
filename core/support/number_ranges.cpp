#include "support/number_ranges.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace stagecraft {
namespace {

std::optional<int> numberOf(std::string_view text)
{
    int value = 0;
    const char *end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t from = text.find_first_not_of(" \t");
    return from == text.npos ? std::string_view() : text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

} // namespace

Result<NumberRange> numberRange(std::string_view text, int lowest, int highest)
{
    const std::size_t dots = text.find("..");
    const std::string_view firstText = text.substr(0, dots);
    const std::string_view lastText = dots == text.npos ? text : text.substr(dots + 2);
    for (const std::string_view end : {firstText, lastText}) {
        const auto number = numberOf(end);
        if (!number || *number < lowest || *number > highest)
            return fail(ErrorCode::InvalidInput, fmt::format("{} is not a whole number from {} to {}",
                                                             end.empty() ? "\"\"" : end, lowest, highest));
    }
    const NumberRange range{*numberOf(firstText), *numberOf(lastText)};
    if (range.last < range.first)
        return fail(ErrorCode::InvalidInput, fmt::format("{} ends before it begins", text));
    if (static_cast<std::size_t>(range.last - range.first) >= kMostOfARange)
        return fail(ErrorCode::InvalidInput, fmt::format("{} is more than {} numbers", text, kMostOfARange));
    return range;
}

Result<std::vector<int>> numbersIn(std::string_view text, int lowest, int highest)
{
    std::vector<NumberRange> ranges;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        TRY_AS(const auto range, numberRange(trimmed(text.substr(from, comma - from)), lowest, highest));
        ranges.push_back(range);
        from = comma + 1;
    }
    return numbersIn(ranges);
}

std::vector<int> numbersIn(std::span<const NumberRange> ranges)
{
    std::set<int> numbers;
    for (const NumberRange &range : ranges) {
        for (int number = range.first; number <= range.last; ++number)
            numbers.insert(number);
    }
    return {numbers.begin(), numbers.end()};
}

std::string rangesText(std::span<const int> numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
        if (last > i)
            text += fmt::format("..{}", numbers[last]);
        i = last + 1;
    }
    return text;
}

} // namespace stagecraft
