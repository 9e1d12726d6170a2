#pragma once

// Recorded results that were compared, for a pull request: a comment in Markdown, and a report of tests in JUnit's XML,
// as Jenkins, GitLab and GitHub read it.

#include "results/recorded_comparison.h"

#include <cstddef>
#include <optional>
#include <string>

namespace stagecraft {

// A table of the files and, for each but the first, one of the operators that changed. `failBelow`: the least speed-up,
// which others may not be shown to be below.
[[nodiscard]] std::string recordedMarkdown(const RecordedComparison &comparison, std::optional<double> failBelow);

// One test suite with a case for each file but the first, whose time is its latency in seconds. What is below
// `failBelow` failed, what is not comparable was skipped.
[[nodiscard]] std::string recordedJUnit(const RecordedComparison &comparison, std::optional<double> failBelow);

} // namespace stagecraft
