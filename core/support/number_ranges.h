#pragma once

// Whole numbers as people list them: "3", "1..5", "1..3,8".

#include "support/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kMostOfARange = 1000;
inline constexpr int kLargestBatch = 65536; // that a model may be asked to be read at

struct NumberRange {
    int first = 0;
    int last = 0;
};

// "3" or "1..5", with both ends within the limits. Errors: InvalidInput, saying what the text is not.
[[nodiscard]] Result<NumberRange> numberRange(std::string_view text, int lowest, int highest);

// Such ranges separated by commas; blanks are ignored. The numbers ascend, each once.
[[nodiscard]] Result<std::vector<int>> numbersIn(std::string_view text, int lowest, int highest);
[[nodiscard]] std::vector<int> numbersIn(std::span<const NumberRange> ranges);

// "1..3, 8" for 1, 2, 3, 8; the numbers ascend.
[[nodiscard]] std::string rangesText(std::span<const int> numbers);

} // namespace stagecraft
