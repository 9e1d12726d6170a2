#pragma once

// Aligns schedules of one graph. A common cut is a point in a block where all of them have run the same operators. The
// stages between two cuts are a span: every schedule runs the same operators in it, so its sides can always be
// compared, and replacing one by another keeps a schedule legal.

#include "schedule/edit/edit.h"
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
    std::vector<StageRange> sides; // one per schedule; none is empty
    bool isEqual = false;          // all sides have the same stages

    friend bool operator==(const CommonSpan &, const CommonSpan &) = default;
};

// The shortest spans, in order; every stage of every schedule is in exactly one. The stages are those of at least one
// legal schedule of one model.
[[nodiscard]] std::vector<CommonSpan> commonSpans(const std::vector<StageList> &schedules);

// Resets a part of `stages` to `origin`: the span around a stage, a block, or everything.
[[nodiscard]] ReplaceStages resetStage(StageList stages, StageList origin, std::size_t stage);
[[nodiscard]] ReplaceStages resetBlock(StageList stages, StageList origin, std::size_t block);
[[nodiscard]] ReplaceStages resetAll(StageList stages, StageList origin);

// Replaces a span by that of another schedule.
[[nodiscard]] ReplaceStages takeSpan(StageRange into, StageList other, StageRange from);

} // namespace stagecraft
