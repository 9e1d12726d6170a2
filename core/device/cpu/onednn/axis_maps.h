#pragma once

// Operators that take indices of each axis of their input: one map an axis, from the index in the output to that in the
// input.

#include "operators/operator.h"
#include "plan/view.h"
#include "support/result.h"

namespace stagecraft::cpu {

[[nodiscard]] plan::Extent indices(std::int64_t start, std::int64_t count, std::int64_t step = 1);
[[nodiscard]] std::vector<plan::Extent> wholeAxes(const plan::Extent &dims);

// Of a Slice from `in` to `out`. Refused: bounds that are computed.
[[nodiscard]] Result<std::vector<plan::Extent>> sliceMaps(const Operator &op, const plan::Extent &in,
                                                          const plan::Extent &out);
// Of a Gather with constant indices; others are refused. Their number of axes does not matter: the result has the same
// bytes for one.
[[nodiscard]] Result<std::vector<plan::Extent>> gatherMaps(const Operator &op, const plan::Extent &in);

} // namespace stagecraft::cpu
