#pragma once

// Finds the name that a person probably meant. Case is ignored; swapping two neighbouring letters counts as one edit,
// as does one letter too many, missing or wrong.

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// Edits that turn one word into the other.
[[nodiscard]] inline std::size_t editDistance(std::string_view a, std::string_view b)
{
    const auto same = [](char left, char right) {
        return std::tolower(static_cast<unsigned char>(left)) == std::tolower(static_cast<unsigned char>(right));
    };
    std::vector<std::vector<std::size_t>> slips(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                slips[i][j] = i + j;
                continue;
            }
            slips[i][j] = std::min(
                {slips[i - 1][j] + 1, slips[i][j - 1] + 1, slips[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                slips[i][j] = std::min(slips[i][j], slips[i - 2][j - 2] + 1);
        }
    }
    return slips[a.size()][b.size()];
}

// The nearest of `names`, or the only one that begins or ends with the word; empty if none is near.
[[nodiscard]] inline std::string closestName(std::string_view word, std::span<const std::string> names)
{
    constexpr std::size_t kLongest = 64; // no name is longer; long pasted text is ignored
    if (word.empty() || word.size() > kLongest)
        return {};
    std::string closest;
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string &name : names) {
        const std::size_t slips = editDistance(word, name);
        if (slips < fewest && 2 * slips < word.size()) { // one edit in a two-letter word is not close
            fewest = slips;
            closest = name;
        }
    }
    if (!closest.empty() || word.size() < 3)
        return closest;
    for (const std::string &name : names) {
        if (!name.starts_with(word) && !name.ends_with(word))
            continue;
        if (!closest.empty())
            return {};
        closest = name;
    }
    return closest;
}

// The beginning of a remedy: "Did you mean greedy? ", or empty.
[[nodiscard]] inline std::string didYouMean(std::string_view word, std::span<const std::string> names)
{
    const std::string closest = closestName(word, names);
    return closest.empty() ? closest : "Did you mean " + closest + "? ";
}

// "a, b, c"; with " or " before the last "a, b or c".
[[nodiscard]] inline std::string listed(std::span<const std::string> names, std::string_view beforeLast = ", ")
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            text += i + 1 == names.size() ? beforeLast : ", ";
        text += names[i];
    }
    return text;
}

} // namespace stagecraft
