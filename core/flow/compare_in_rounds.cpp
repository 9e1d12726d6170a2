#include "flow/compare_in_rounds.h"

#include "flow/find/replace_with_baseline.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stagecraft {

Result<Comparison> compareInRounds(std::vector<FoundSchedule> &all, std::size_t baselines, DeviceSession &session,
                                   int rounds, const std::stop_token &stop)
{
    std::vector<Schedule> schedules;
    std::vector<double> foundUs;
    for (const FoundSchedule &one : all) {
        schedules.push_back(one.schedule);
        foundUs.push_back(*one.schedule.latencyUs());
    }
    std::vector<std::size_t> standing(all.size());
    std::iota(standing.begin(), standing.end(), std::size_t{0});
    if (std::ranges::any_of(all, [](const FoundSchedule &one) { return one.schedule.isOfProfile(); }))
        return Comparison{comparedInRounds({foundUs}), 0, std::move(standing)};
    if (!session.isNoisy())
        return Comparison{comparedExactly(foundUs), 0, std::move(standing)};
    if (rounds == 0 || stop.stop_requested())
        return Comparison{comparedInRounds({foundUs}), 0, std::move(standing)};
    auto times = measureSchedulesInRounds(schedules, session, rounds, stop);
    if (!times && times.error().code == ErrorCode::Cancelled)
        return Comparison{comparedInRounds({foundUs}), 0, std::move(standing)};
    TRY(times);
    standing = keepFasterBaselines(all, *times, baselines, session.boundaryCost());
    return Comparison{std::move(*times), rounds, std::move(standing)};
}

} // namespace stagecraft
