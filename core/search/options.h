#pragma once

// Options of a search, with its limits.

#include "schedule/timed_schedule.h"
#include "search/interrupt.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

// All: Both, merges of operators with inputs of their own, and fused stages of whole waves of a block.
enum class StrategySet { Parallel, Merge, Both, All };

[[nodiscard]] std::string_view toString(StrategySet set); // "parallel", "merge", "both", "all"
[[nodiscard]] std::optional<StrategySet> strategySetFromString(std::string_view text);

// Lower bounds for stages that are not measured. Safe: the slowest group (and a group's operators, where the source
// says that chains add up). Assumed: also any part of the stage with one operator less, which takes a fraction of the
// measurements, holds for nearly all stages, and is reported with the result (SearchRecord::assumption). Auto: assumed
// if the source knows no bounds of its own.
enum class SearchBounds { Safe, Assumed, Auto };

[[nodiscard]] std::optional<SearchBounds> searchBoundsFromString(std::string_view text); // "safe", "assumed", "auto"

// Which stages are asked for next. Bounds: all that the cheapest path by lower bounds lacks. Learned: those that, by a
// model of the device, prove the best schedule with the fewest answers (search/stages/proof_plan.h). What is proved
// does not depend on it. Auto: learned where answers are measurements, which take longer than the thinking.
enum class SearchOrder { Bounds, Learned, Auto };

[[nodiscard]] std::string_view toString(SearchOrder order); // "bounds", "learned", "auto"
[[nodiscard]] std::optional<SearchOrder> searchOrderFromString(std::string_view text);

struct SearchOptions {
    StrategySet strategies = StrategySet::Both;
    std::optional<int> r = 3;  // at most r operators per group; empty: no bound
    std::optional<int> s = 8;  // at most s groups per stage; empty: no bound
    bool singleSource = false; // only endings whose groups have a single source each, as in the public implementation
    bool exhaustive = false;   // measure every stage of the space
    std::optional<std::int64_t> maxMeasurements;
    std::optional<double> maxSeconds;
    SearchBounds bounds = SearchBounds::Safe;
    SearchOrder order = SearchOrder::Bounds;
    SearchClock clock{}; // replaced in tests
    double epsilon = 0;  // stop when the result is proved within (1 + epsilon) of the optimum
    // Stages that the result must have, whatever r, s and the strategies allow; the rest is searched
    // (search/stages/pins.h).
    std::vector<Stage> pinned{};
    bool ordersLaunches = false; // afterwards: in which order the launches of each stage come (streams/launch_orders.h)
};

// WrongUse if r or s is below 1.
[[nodiscard]] Result<void> checkPruning(const SearchOptions &options);

} // namespace stagecraft
