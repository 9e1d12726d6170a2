#pragma once

// The answer of "timeline", for programs and for people.

#include "answers/timeline_answer.h"
#include "device/device.h"
#include "graph/cost_basis.h"
#include "model/model.h"
#include "timing/timeline/timeline.h"

#include <string>

namespace stagecraft {

[[nodiscard]] answers::TimelineAnswer timelineAnswer(const Model &model, const Timeline &timeline,
                                                     const DeviceInfo &device, const CostBasis &basis);
// `schedule`: as it was named.
void printTimeline(const Model &model, const Timeline &timeline, const DeviceInfo &device, const std::string &schedule,
                   const CostBasis &basis, bool kernels, bool stages);

} // namespace stagecraft
