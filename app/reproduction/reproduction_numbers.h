#pragma once

// Numbers and texts in the reports of a reproduction.

#include "reproduction/reproduction.h"
#include "support/markup_text.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string numberText(double value);       // "4.03", "109.3", "4,871", "9.2e+22"
[[nodiscard]] std::string errorPercentText(double error); // "+1.2 %"
[[nodiscard]] std::string summaryText(const ErrorSummary &errors);
[[nodiscard]] std::string unitText(const std::string &unit); // as the program shows it: "µs" for "us"

} // namespace stagecraft
