#pragma once

// compare with several files: the answer for people.

#include "results/recorded_comparison.h"

namespace stagecraft {

void printRecorded(const RecordedComparison &comparison);

// What is below `failBelow`, on standard error; the exit status of the program.
[[nodiscard]] int tellBelow(const RecordedComparison &comparison, double failBelow);

} // namespace stagecraft
