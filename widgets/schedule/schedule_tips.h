#pragma once

// The tool tips on the page of a schedule.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "widgets/base/time_change.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/stage_marks.h"

#include <QString>

namespace stagecraft {

// Of an operator with its stage, or of a stage.
[[nodiscard]] QString stageTip(const Graph &graph, const TimedSchedule &schedule, const StageMarks &marks,
                               const SchedulePage::Hit &hit);
// `change`: against the first schedule beside it; null: there is none.
[[nodiscard]] QString blockTip(const TimedSchedule &schedule, const BlockHeader &header, const TimeChange *change);

} // namespace stagecraft
