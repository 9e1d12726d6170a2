#pragma once

// Schedules of one graph, aligned. A common cut is a point in a block where all of them have finished the same
// operators. The stages between two cuts are a span: every schedule runs the same operators in it, so its sides can
// always be compared, and exchanging one for another keeps a schedule legal.

#include "schedule/edit.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

using StageList = std::span<const Stage>;

// Stages [first, first + count) of a schedule.
struct StageRange {
    std::size_t first = 0;
    std::size_t count = 0;

    [[nodiscard]] std::size_t end() const { return first + count; }

    friend bool operator==(const StageRange &, const StageRange &) = default;
};

struct CommonSpan {
    std::size_t block = 0;
    std::vector<StageRange> sides; // per schedule; none is empty
    bool isEqual = false;          // all sides have the same stages

    friend bool operator==(const CommonSpan &, const CommonSpan &) = default;
};

// The shortest spans, in order: together they hold every stage of every schedule once. The stages are those of legal
// schedules of one model; at least one schedule.
[[nodiscard]] std::vector<CommonSpan> commonSpans(const std::vector<StageList> &schedules);

// What makes a part of `stages` what it was in `origin`: the span around a stage, a block, everything.
[[nodiscard]] ReplaceStages resetStage(StageList stages, StageList origin, std::size_t stage);
[[nodiscard]] ReplaceStages resetBlock(StageList stages, StageList origin, std::size_t block);
[[nodiscard]] ReplaceStages resetAll(StageList stages, StageList origin);

// A span of another schedule in place of one of these.
[[nodiscard]] ReplaceStages takeSpan(StageRange into, StageList other, StageRange from);

} // namespace stagecraft
