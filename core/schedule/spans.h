#pragma once

// Where two schedules of one model agree on what is done: points at which both have finished the same operators. The
// stages between two such points are a span. Its two sides are of the same operators, so they can always be compared
// and exchanged.

#include "schedule/edit.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

struct CommonSpan {
    std::size_t firstA = 0, countA = 0;
    std::size_t firstB = 0, countB = 0;

    friend bool operator==(const CommonSpan &, const CommonSpan &) = default;
};

// The shortest spans, in order: together they are both schedules. Both are legal and of the same model.
[[nodiscard]] std::vector<CommonSpan> commonSpans(std::span<const Stage> a, std::span<const Stage> b);

// What makes a part of `stages` what it was in `origin`: the span around a stage, a block, everything.
[[nodiscard]] ReplaceStages resetStage(std::span<const Stage> stages, std::span<const Stage> origin, std::size_t stage);
[[nodiscard]] ReplaceStages resetBlock(std::span<const Stage> stages, std::span<const Stage> origin, std::size_t block);
[[nodiscard]] ReplaceStages resetAll(std::span<const Stage> stages, std::span<const Stage> origin);

} // namespace stagecraft
