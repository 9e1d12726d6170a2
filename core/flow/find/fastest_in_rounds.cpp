#include "flow/find/fastest_in_rounds.h"

#include "measure/rounds.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>

namespace stagecraft {
namespace {

struct Heat {
    std::size_t schedules = 0; // at most
    int rounds = 0;            // at least
    double seconds = 0;        // what more rounds may take
};

// A round of a schedule takes some hundredths of a second, and twenty times that with sanitizers. The first heat shows
// how long; gains are a few per cent, as noise is, so where rounds are quick there are more of them.
constexpr std::array<Heat, 3> kHeats{{{12, 2, 0}, {12, 0, 4}, {4, kDefaultRounds, 8}}};

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
    const auto heats = session.measuresStages() ? std::span(kHeats) : std::span(kHeats).last(1);
    double roundSeconds = std::numeric_limits<double>::infinity(); // of one schedule
    for (const Heat &heat : heats) {
        order.resize(std::min(order.size(), heat.schedules));
        const auto count = static_cast<double>(order.size());
        const int rounds = std::max(heat.rounds, static_cast<int>(heat.seconds / (roundSeconds * count)));
        if (rounds == 0)
            continue;
        std::vector<Schedule> schedules;
        std::ranges::transform(order, std::back_inserter(schedules),
                               [&](std::size_t i) { return candidates[i].schedule; });
        const auto start = std::chrono::steady_clock::now();
        const auto times = measureSchedulesInRounds(schedules, session, rounds, stop);
        if (!times && times.error().code == ErrorCode::Cancelled)
            break;
        TRY(times);
        roundSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                       (static_cast<double>(rounds) * count);
        for (std::size_t i = 0; i < order.size(); ++i)
            candidates[order[i]].timing = (*times)[i].timing;
        sort();
    }
    return std::pair(order.front(), candidates[order.front()].timing);
}

} // namespace stagecraft
