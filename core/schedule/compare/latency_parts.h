#pragma once

// What a latency consists of: the stages, each timed alone, the barriers between them, and the rest. The parts add up.
//
// A barrier is where all groups of a stage have to be done before the next stage starts. Between two stages of one
// group each there is none: their kernels follow each other in one stream, in order, and nobody waits. This is why the
// boundaries of Sequential are free. What a barrier costs is known for simulated latencies only, which charge nothing
// else between stages (BoundaryCost); in measured ones it is a part of the rest.

#include "schedule/compare/spans.h"
#include "schedule/timed_schedule.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

[[nodiscard]] bool needsBarrier(const Stage &earlier, const Stage &later);

// Barriers between stages of the range.
[[nodiscard]] std::size_t barriersIn(StageList stages, StageRange range);
// From the stage before the range to the stage after it: all that depend on its stages.
[[nodiscard]] std::size_t barriersAround(StageList stages, StageRange range);

// What one barrier of the schedule costs, in microseconds; empty: not known, or it has none.
[[nodiscard]] std::optional<double> barrierUs(const TimedSchedule &schedule);

// Of a range of stages.
struct LatencyParts {
    StageRange stages;
    double stagesUs = 0;      // sum of the stages, each timed alone
    std::size_t barriers = 0; // between them
    double barriersUs = 0;    // 0 as well if their cost is not known

    [[nodiscard]] double latencyUs() const { return stagesUs + barriersUs; }
};

// Empty if stage latencies are unknown.
[[nodiscard]] std::optional<LatencyParts> latencyParts(const TimedSchedule &schedule); // of all stages
[[nodiscard]] std::optional<LatencyParts> latencyParts(const TimedSchedule &schedule, StageRange range);
// By block, in order; of a legal schedule. What lies between two blocks is in none of them.
[[nodiscard]] std::vector<LatencyParts> blockParts(const TimedSchedule &schedule);

// The stages of a block of a legal schedule.
[[nodiscard]] StageRange stagesOfBlock(StageList stages, std::size_t block);

// What the whole schedule takes beyond stages and barriers: what stages gain or lose next to others, and, on measuring
// devices, the barriers. Empty if the whole was never timed.
[[nodiscard]] std::optional<double> restUs(const TimedSchedule &schedule);

} // namespace stagecraft
