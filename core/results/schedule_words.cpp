#include "results/schedule_words.h"

#include <algorithm>

namespace stagecraft {

std::string provenanceWords(const Schedule &schedule)
{
    const std::string provenance(schedule.provenance ? toString(*schedule.provenance) : std::string_view());
    return schedule.isSumOfStages ? "sum of stages, " + provenance : provenance;
}

std::size_t disturbedStages(const Schedule &schedule)
{
    return static_cast<std::size_t>(std::ranges::count_if(schedule.stageTimings, &Timing::isDisturbed));
}

} // namespace stagecraft
