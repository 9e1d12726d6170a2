#include "results/schedule_words.h"

#include <algorithm>

namespace stagecraft {

std::string provenanceWords(const TimedSchedule &schedule)
{
    const std::string provenance(schedule.measured.provenance ? toString(*schedule.measured.provenance)
                                                              : std::string_view());
    return schedule.measured.isSumOfStages() ? "sum of stages, " + provenance : provenance;
}

std::size_t disturbedStages(const TimedSchedule &schedule)
{
    return static_cast<std::size_t>(std::ranges::count_if(schedule.measured.stages, &Timing::isDisturbed));
}

} // namespace stagecraft
