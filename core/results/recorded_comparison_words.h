#pragma once

// Recorded results that were compared, in words: the same on a terminal, in Markdown and in JUnit. Names from files are
// as they are: whoever shows them makes them safe (support/shown_text.h).

#include "results/recorded_comparison.h"

#include <string>
#include <vector>

namespace stagecraft {

// "recorded by PyTorch profiler, median of 20 runs", "simulated".
[[nodiscard]] std::string originWords(const RecordedResult &result);

// "0.91x as fast, 95 % interval 0.88x to 0.94x: slower", "not compared: other device", "1.02x as fast, without an
// interval: fewer than 8 runs".
[[nodiscard]] std::string judgedWords(const RecordedChange &change);

// "device: sim:v100 -> sim:k80", and that latencies are not compared, therefore.
[[nodiscard]] std::string contextWords(const ContextDifference &difference);

// "kernel: implicit_gemm -> winograd".
[[nodiscard]] std::string aspectWords(const AspectChange &change);

// "153.6 us -> 190.2 us, +23.8 %, slower"; empty: no time is known.
[[nodiscard]] std::string timeWords(const OperatorChange &change);

// What the list of operators does not say: how many are equal, operators that only one file shows, aspects that are not
// in both; a sentence each.
[[nodiscard]] std::vector<std::string> restWords(const OperatorChanges &changes);

// "kernel of 3, stream of 12": how many operators changed in what; empty: none.
[[nodiscard]] std::string countWords(const OperatorChanges &changes);

// How much of the time of profiles is no operator's, and which of these kernels only one has; a sentence each.
[[nodiscard]] std::vector<std::string> unmappedWords(const RecordedResult &first, const RecordedResult &other);

// "B is shown to be slower than --fail-below allows: ..."
[[nodiscard]] std::string belowWords(const RecordedResult &first, const RecordedResult &other,
                                     const RecordedChange &change, double ratio);

} // namespace stagecraft
