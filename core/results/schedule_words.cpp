#include "results/schedule_words.h"

#include "search/search_words.h"
#include "timing/simulator_version.h"

#include <algorithm>

namespace stagecraft {

std::string provenanceOf(const TimedSchedule &schedule)
{
    if (!schedule.measured.provenance)
        return {};
    return std::string(toString(*schedule.measured.provenance)) +
           (isOfOlderSimulator(schedule) ? " by an older simulator" : "");
}

std::string provenanceWords(const TimedSchedule &schedule)
{
    return (schedule.measured.isSumOfStages() ? "sum of stages, " : "") + provenanceOf(schedule);
}

bool isOfOlderSimulator(const TimedSchedule &schedule)
{
    return schedule.measured.provenance == Provenance::Simulated && isOfOlderSimulator(schedule.context);
}

bool areComparable(const TimedSchedule &one, const TimedSchedule &other)
{
    return one.measured.isSumOfStages() == other.measured.isSumOfStages() &&
           isOfOlderSimulator(one) == isOfOlderSimulator(other);
}

std::string searchEnding(const TimedSchedule &schedule)
{
    return endingText(schedule.search);
}

std::string boundWithoutBarriers(const TimedSchedule &schedule)
{
    return withoutBarriersText(schedule.search);
}

std::size_t disturbedStages(const TimedSchedule &schedule)
{
    return static_cast<std::size_t>(std::ranges::count_if(schedule.measured.stages, &Timing::isDisturbed));
}

} // namespace stagecraft
