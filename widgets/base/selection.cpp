#include "widgets/base/selection.h"

#include "schedule/stage_groups.h"
#include "schedule/timed_schedule.h"

namespace stagecraft {

Selected selectedAt(const TimedSchedule &schedule, std::size_t stage)
{
    return schedule.streams ? Selected{schedule.streams->launches[stage].operators.front(), std::nullopt}
                            : Selected{std::nullopt, stage};
}

Selected selectedOperator(const Graph &graph, const TimedSchedule *schedule, OperatorId op)
{
    if (!schedule)
        return {op, std::nullopt};
    const std::size_t stage = stageOfOperators(graph, schedule->stages)[op.index()];
    return {op, stage < schedule->stages.size() ? std::optional(stage) : std::nullopt};
}

void Selection::set(Selected selected)
{
    if (selected == m_current)
        return;
    m_current = selected;
    emit changed(m_current);
}

} // namespace stagecraft
