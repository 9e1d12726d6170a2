#pragma once

#include <vector>

namespace stagecraft {

class SchedulePane;

// Panes beside each other say in their titles what they do not have in common.
void shareTitles(const std::vector<SchedulePane *> &panes);

} // namespace stagecraft
