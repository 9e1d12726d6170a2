#pragma once

// The answer of "measure", as JSON and for people.

#include "cli/command_line.h"

#include <string>

namespace stagecraft {

// Of a measured schedule; `name`: as it was named.
[[nodiscard]] Json measureJson(const ScheduledModel &opened, const std::string &name);
void printMeasured(const ScheduledModel &opened, const std::string &name, bool stages);

} // namespace stagecraft
