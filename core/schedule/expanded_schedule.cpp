#include "schedule/expanded_schedule.h"

#include <utility>

namespace stagecraft {

Stage expandedStage(Stage stage, const ExpandedGraph &expanded)
{
    for (auto &group : stage.groups)
        group = expanded.expanded(group);
    return normalized(std::move(stage));
}

Schedule expandedSchedule(Schedule schedule, const ExpandedGraph &expanded)
{
    for (Stage &stage : schedule.stages)
        stage = expandedStage(std::move(stage), expanded);
    return schedule;
}

} // namespace stagecraft
