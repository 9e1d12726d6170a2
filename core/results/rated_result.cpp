#include "results/rated_result.h"

#include "results/shelf.h"
#include "results/shelf_words.h"

namespace stagecraft {

std::optional<double> RatedResult::latencyUs() const
{
    if (latency)
        return latency->us;
    return schedule ? schedule->latencyUs() : std::nullopt;
}

RatedResult ratedResult(const Shelf &shelf, const ScheduleResult &result)
{
    return {.name = result.shownName(),
            .schedule = nullptr,
            .speedup = shelf.speedup(result.id),
            .latency = shelf.latency(result.id),
            .madeBy = madeByText(shelf, result),
            .note = result.note,
            .id = result.id};
}

} // namespace stagecraft
