#pragma once

// Where schedules of one graph differ in time: the whole, every block and every common span (schedule/spans.h).
// Latencies of stages are those of stages timed alone, so what a whole schedule takes beyond them is named as a part of
// its own: parts add up.

#include "schedule/spans.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

using LatenciesUs = std::vector<std::optional<double>>; // per schedule; nothing where it is not known

struct SpanDifference {
    CommonSpan span;
    LatenciesUs us; // of its stages
};

struct BlockDifference {
    std::size_t block = 0;
    std::vector<StageRange> sides; // per schedule
    LatenciesUs us;                // of its stages
    std::vector<SpanDifference> spans;

    [[nodiscard]] bool isEqual() const; // all of its spans are
};

struct ScheduleDifference {
    LatenciesUs wholeUs;
    LatenciesUs betweenStagesUs; // the whole without its stages: boundaries, and what stages save or lose beside others
    std::vector<BlockDifference> blocks;
};

// The schedules are legal for one graph; at least one.
[[nodiscard]] ScheduleDifference scheduleDifference(std::span<const Schedule *const> schedules);

// What the stages of a range take, added up; nothing where one is unknown.
[[nodiscard]] std::optional<double> sumOfStagesUs(const Schedule &schedule, StageRange range);

} // namespace stagecraft
