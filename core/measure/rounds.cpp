#include "measure/rounds.h"

#include <chrono>

namespace stagecraft {

Result<std::vector<TimingInRounds>>
measureInRounds(std::size_t count, const std::function<Result<ScheduleLatency>(std::size_t which)> &measure, int rounds,
                const RoundsCallback &onProgress)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::vector<std::vector<double>> roundsUs(static_cast<std::size_t>(rounds), std::vector<double>(count, 0));
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    for (std::size_t round = 0; round < roundsUs.size(); ++round) {
        if (onProgress) {
            const auto done = static_cast<int>(round);
            onProgress({done, rounds, done > 0 ? seconds() / done * (rounds - done) : 0});
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t which = round % 2 == 0 ? i : count - 1 - i;
            TRY_AS(const auto whole, measure(which));
            roundsUs[round][which] = whole.timing.latencyUs;
        }
    }
    return comparedInRounds(roundsUs, seconds() / rounds);
}

Result<std::vector<TimingInRounds>> measureSchedulesInRounds(std::span<const Schedule> schedules,
                                                             DeviceSession &session, int rounds,
                                                             const std::stop_token &stop,
                                                             const RoundsCallback &onProgress)
{
    return measureInRounds(
        schedules.size(), [&](std::size_t which) { return session.measureWhole(schedules[which], stop); }, rounds,
        onProgress);
}

} // namespace stagecraft
