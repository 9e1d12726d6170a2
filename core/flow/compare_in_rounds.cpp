#include "flow/compare_in_rounds.h"

#include "flow/find/replace_with_baseline.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stagecraft {

Result<Comparison> compareInRounds(std::vector<FoundSchedule> &all, std::size_t baselines, DeviceSession &session,
                                   int rounds, const std::stop_token &stop, const BesideInRounds *beside)
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
        return Comparison{comparedInRounds({foundUs}), {}, 0, std::move(standing)};
    if (!session.isNoisy())
        return Comparison{comparedExactly(foundUs), {}, 0, std::move(standing)};
    if (rounds == 0 || stop.stop_requested())
        return Comparison{comparedInRounds({foundUs}), {}, 0, std::move(standing)};
    auto times = measureInRounds(
        all.size() + (beside ? 1 : 0),
        [&](std::size_t which) {
            return which < all.size() ? session.measureWhole(schedules[which], stop)
                                      : beside->session.measureWhole(beside->schedule, stop);
        },
        rounds);
    if (!times && times.error().code == ErrorCode::Cancelled)
        return Comparison{comparedInRounds({foundUs}), {}, 0, std::move(standing)};
    TRY(times);
    std::optional<TimingInRounds> other;
    if (beside) {
        other = std::move(times->back());
        times->pop_back();
    }
    standing = keepFasterBaselines(all, *times, baselines, session.boundaryCost());
    return Comparison{std::move(*times), std::move(other), rounds, std::move(standing)};
}

} // namespace stagecraft
