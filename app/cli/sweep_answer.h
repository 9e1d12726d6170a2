#pragma once

// The answer of "sweep" for people.

#include "graph/cost_basis.h"
#include "results/study_point.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

// `measurements`: for all points together.
void printSweep(const std::vector<StudyPoint> &points, const StudyFronts &fronts, const CostBasis &basis,
                std::int64_t measurements);

} // namespace stagecraft
