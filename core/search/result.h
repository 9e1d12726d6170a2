#pragma once

// What a search found, and its statistics.

#include "schedule/stage_signature.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

// A stage that was considered but not chosen, and what choosing it would cost.
struct RunnerUp {
    Stage stage;
    double latencyUs = 0; // of the stage
    double extraUs = 0;   // best schedule with this stage minus the best schedule; at least 0
    bool measured = true; // false: latencyUs and extraUs are lower bounds
};

struct BlockSearch {
    std::size_t block = 0;
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t cacheHits = 0;
    double latencyUs = 0;            // its stages and the boundaries between them
    double lowerBoundUs = 0;         // no schedule of the block alone takes less
    std::vector<RunnerUp> runnersUp; // the best few, ascending by extraUs
    // With the stages before and after it as they are, no schedule of the block takes less: what the block alone could
    // save, it would lose in the boundaries to its neighbours. 0: unknown (older files).
    double inPlaceBoundUs = 0;
};

// A schedule that a search for streams began with, or that it is held against.
struct StreamStart {
    std::string strategy; // "opara", "ios-both"
    double latencyUs = 0;
    Synchronisation needs;
};

struct StreamSearchRecord {
    std::vector<StreamStart> starts;
    std::int64_t schedulesTimed = 0;  // as a whole
    std::optional<std::string> ended; // of a search: "proved", "converged", "time", "stopped"
};

// A stage whose latency is not known, and that a faster schedule could have.
struct MissingStage {
    Stage stage;
    StageSignature signature;
    double leastUs = 0; // no schedule with it takes less, under the bounds that the search trusts
};

struct FoundSchedule {
    TimedSchedule schedule;                      // verified; search record, timing and stageTimings filled
    std::vector<BlockSearch> blocks{};           // of a search; empty for baselines
    std::optional<Error> refusal = std::nullopt; // of the smallest stage that the source refused, if any
    std::optional<StreamSearchRecord> streams{}; // of streams
    // Of a source that has some latencies only (StageLatencySource::isPartial), ascending by leastUs: empty if none of
    // the stages that it lacks could make the schedule faster.
    std::vector<MissingStage> wanted{};
};

} // namespace stagecraft
