#pragma once

// The answer of "measure", for programs and for people.

#include "answers/schedule_answers.h"
#include "cli/command_line.h"
#include "cli/scheduled_model.h"

#include <string>

namespace stagecraft {

// Of a measured schedule; `name`: as it was named.
[[nodiscard]] answers::Measure measureAnswer(const ScheduledModel &opened, const std::string &name);
void printMeasured(const ScheduledModel &opened, const std::string &name, bool stages);

} // namespace stagecraft
