#pragma once

// The answer of "edit", for programs and for people.

#include "answers/schedule_answers.h"
#include "cli/command_line.h"
#include "cli/edit_options.h"
#include "cli/scheduled_model.h"
#include "flow/compare_edit.h"
#include "schedule/timed_schedule.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

[[nodiscard]] std::vector<answers::EditedSpan> editedSpans(const TimedSchedule &original, const TimedSchedule &edited,
                                                           bool isOriginalKnown, bool isMeasured);
[[nodiscard]] answers::Edit editAnswer(const ScheduledModel &opened, const EditedByHand &byHand,
                                       const std::optional<EditOutcome> &measured,
                                       std::vector<answers::EditedSpan> spans);
// `from`: the schedule that was edited, as it was named.
void printEdit(const std::string &from, const ScheduledModel &opened, const EditedByHand &byHand,
               const std::optional<EditOutcome> &measured, const std::vector<answers::EditedSpan> &spans);

} // namespace stagecraft
