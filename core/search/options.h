#pragma once

// What a search may do, and for how long.

#include "schedule/schedule.h"
#include "search/interrupt.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class StrategySet { Parallel, Merge, Both };

[[nodiscard]] std::string_view toString(StrategySet set); // "parallel", "merge", "both"
[[nodiscard]] std::optional<StrategySet> strategySetFromString(std::string_view text);

// What a stage that is not measured takes at least. Safe: its slowest group. Assumed: also any of it with an operator
// less, which needs a fraction of the measurements, holds for nearly all stages, and is said with the result
// (SearchRecord::assumption). Auto: assumed where the source knows no bounds of its own.
enum class SearchBounds { Safe, Assumed, Auto };

[[nodiscard]] std::optional<SearchBounds> searchBoundsFromString(std::string_view text); // "safe", "assumed", "auto"

struct SearchOptions {
    StrategySet strategies = StrategySet::Both;
    std::optional<int> r = 3;  // at most r operators per group; none: no bound
    std::optional<int> s = 8;  // at most s groups per stage; none: no bound
    bool singleSource = false; // only endings whose every group has a single source, as the public implementation
    bool exhaustive = false;   // measure every stage of the space
    std::optional<std::int64_t> maxMeasurements;
    std::optional<double> maxSeconds;
    SearchBounds bounds = SearchBounds::Safe;
    SearchClock clock{}; // what time it is; tests bring their own
    double epsilon = 0;  // stop when the result is proved within (1 + epsilon) of the optimum
    // Stages that the result has to have, whatever r, s and the strategies say; all else is searched (search/pins.h).
    std::vector<Stage> pinned{};
};

// WrongUse where r or s is below 1.
[[nodiscard]] Result<void> checkPruning(const SearchOptions &options);

} // namespace stagecraft
