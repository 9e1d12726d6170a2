#include "flow/find/fastest_in_rounds.h"

#include "measure/rounds.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>

namespace stagecraft {
namespace {

struct Heat {
    std::size_t schedules = 0; // at most
    int rounds = 0;
};

// A round of a schedule takes some hundredths of a second, and twenty times that with sanitizers.
constexpr std::array<Heat, 2> kHeats{{{12, 2}, {4, kDefaultRounds}}};

} // namespace

Result<std::pair<std::size_t, Timing>> fastestInRounds(std::vector<CandidateInRounds> candidates,
                                                       DeviceSession &session, const std::stop_token &stop)
{
    std::vector<std::size_t> order(candidates.size()); // the fastest so far first
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto sort = [&] {
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return candidates[i].timing.latencyUs; });
    };
    sort();
    // Where only whole schedules are measured, each takes long.
    const auto heats = session.measuresStages() ? std::span(kHeats) : std::span(kHeats).subspan(1, 1);
    for (const Heat &heat : heats) {
        order.resize(std::min(order.size(), heat.schedules));
        std::vector<Schedule> schedules;
        std::ranges::transform(order, std::back_inserter(schedules),
                               [&](std::size_t i) { return candidates[i].schedule; });
        const auto times = measureSchedulesInRounds(schedules, session, heat.rounds, stop);
        if (!times && times.error().code == ErrorCode::Cancelled)
            break;
        TRY(times);
        for (std::size_t i = 0; i < order.size(); ++i)
            candidates[order[i]].timing = (*times)[i].timing;
        sort();
    }
    return std::pair(order.front(), candidates[order.front()].timing);
}

} // namespace stagecraft
