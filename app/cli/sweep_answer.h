#pragma once

// The answer of "sweep": a point as JSON, all of them for people.

#include "cli/command_line.h"
#include "graph/cost_basis.h"
#include "results/study_point.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

[[nodiscard]] Json pointJson(const StudyPoint &each, bool isOnFront, bool isOnMemoryFront);
// `measurements`: for all points together.
void printSweep(const std::vector<StudyPoint> &points, const StudyFronts &fronts, const CostBasis &basis,
                std::int64_t measurements);

} // namespace stagecraft
