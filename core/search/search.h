#pragma once

// Inter-operator scheduling: the dynamic program of IOS over endings (Ding et al., MLSys 2021, section 4), its pruning
// and the two baselines. A function over plain values: graph and blocks in, schedule and statistics out.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "search/interrupt.h"
#include "search/stage_latency_source.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
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
    int r = 3;                 // at most r operators per group; 0: no bound
    int s = 8;                 // at most s groups per stage; 0: no bound
    bool singleSource = false; // only endings whose every group has a single source, as the public implementation
    bool exhaustive = false;   // measure every stage of the space
    std::optional<std::int64_t> maxMeasurements;
    std::optional<double> maxSeconds;
    SearchBounds bounds = SearchBounds::Safe;
    SearchClock clock{}; // what time it is; tests bring their own
    double epsilon = 0;  // stop when the result is proved within (1 + epsilon) of the optimum
};

struct SearchProgress {
    std::size_t block = 0; // how many spaces were built, all but the last: the search itself is of all blocks at once
    std::size_t blocks = 0;
    std::int64_t statesDone = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t cacheHits = 0;
    double bestUs = 0; // best whole schedule so far
    double lowerBoundUs = 0;
    double elapsedSeconds = 0;
};

// A stage the search looked at and did not take, and what taking it would have cost.
struct RunnerUp {
    Stage stage;
    double latencyUs = 0; // of the stage
    double extraUs = 0;   // best schedule through this stage minus the best schedule; at least 0
    bool measured = true; // false: latencyUs and extraUs are lower bounds
};

struct BlockSearch {
    std::size_t block = 0;
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t cacheHits = 0;
    double latencyUs = 0;
    double lowerBoundUs = 0;
    std::vector<RunnerUp> runnersUp; // ascending by extraUs, a handful
};

struct SearchResult {
    Schedule schedule; // verified; search record, latencyUs and stageLatencyUs filled
    std::vector<BlockSearch> blocks;
    std::optional<Error> refusal; // of the smallest stage the source could not have, where there was one
};

using SearchProgressCallback = std::function<void(const SearchProgress &)>;

// Errors: WrongUse (r or s negative, epsilon negative), DeviceFailed (no legal schedule could be measured). A requested
// stop is not an error: the best schedule so far comes back with termination "cancelled"; only where no schedule was
// measured yet it is one (Cancelled). The sequential schedule is always measured in full, whatever the budget.
// The callback is called on the calling thread, at most every 50 ms and once at the end.
[[nodiscard]] Result<SearchResult> searchSchedule(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                                  const SearchOptions &options = {},
                                                  const SearchProgressCallback &progress = {},
                                                  std::stop_token stop = {});

// One operator per stage, in topological order.
[[nodiscard]] Schedule sequentialSchedule(const Graph &graph, const Blocks &blocks);

// Every ready operator of the block, repeatedly.
[[nodiscard]] Schedule greedySchedule(const Graph &graph, const Blocks &blocks);

// Asks for every stage and fills stageLatencyUs and latencyUs.
[[nodiscard]] Result<void> fillLatencies(Schedule &schedule, StageLatencySource &source, std::stop_token stop = {});

} // namespace stagecraft
