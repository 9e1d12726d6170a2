#include "widgets/base/selection.h"

#include "schedule/timed_schedule.h"

namespace stagecraft {

Selected selectedAt(const TimedSchedule &schedule, std::size_t stage)
{
    return schedule.streams ? Selected{schedule.streams->launches[stage].operators.front(), std::nullopt}
                            : Selected{std::nullopt, stage};
}

void Selection::set(Selected selected)
{
    if (selected == m_current)
        return;
    m_current = selected;
    emit changed(m_current);
}

} // namespace stagecraft
