#pragma once

// The answer of "timeline", for programs and for people.

#include "answers/timeline_answer.h"
#include "graph/cost_basis.h"
#include "model/model.h"
#include "timing/timeline/timeline.h"

#include <string>

namespace stagecraft {

[[nodiscard]] answers::TimelineAnswer timelineAnswer(const Model &model, const Timeline &timeline,
                                                     const CostBasis &basis);
// `schedule`: as it was named.
void printTimeline(const Model &model, const Timeline &timeline, const std::string &schedule, const CostBasis &basis,
                   bool kernels, bool stages);

} // namespace stagecraft
