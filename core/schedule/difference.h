#pragma once

// Where schedules of one graph differ in time: the whole, every block and every common span (schedule/spans.h). Stage
// latencies are those of stages timed alone, so the rest of a schedule's latency is a part of its own: parts add up.

#include "schedule/spans.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

using LatenciesUs = std::vector<std::optional<double>>; // per schedule; empty if unknown

struct SpanDifference {
    CommonSpan span;
    LatenciesUs us; // sum of its stages
};

struct BlockDifference {
    std::size_t block = 0;
    std::vector<StageRange> sides; // per schedule
    LatenciesUs us;                // sum of its stages
    std::vector<SpanDifference> spans;

    [[nodiscard]] bool isEqual() const; // whether all of its spans are equal
};

struct ScheduleDifference {
    LatenciesUs wholeUs;
    LatenciesUs betweenStagesUs; // the whole minus its stages: boundaries, and what stages gain or lose next to others
    std::vector<BlockDifference> blocks;
};

// The schedules are legal for one graph; at least one.
[[nodiscard]] ScheduleDifference scheduleDifference(std::span<const Schedule *const> schedules);

// The sum of the stages in a range; empty if one is unknown.
[[nodiscard]] std::optional<double> sumOfStagesUs(const Schedule &schedule, StageRange range);

} // namespace stagecraft
