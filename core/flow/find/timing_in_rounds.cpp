#include "flow/find/timing_in_rounds.h"

#include "flow/find/replace_with_baseline.h"
#include "timing/statistics/means.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace stagecraft {
namespace {

TimingInRounds summary(const std::vector<double> &baseUs, const std::vector<double> &us, double secondsPerRound)
{
    Timing timing = Timing::ofLatency(us.front());
    if (us.size() > 1)
        timing = {geometricMeanOf(us), meanOf(us), deviationOf(us), static_cast<int>(us.size())};
    return {std::move(timing), judge(baseUs, us), secondsPerRound, us};
}

} // namespace

std::vector<TimingInRounds> comparedInRounds(const std::vector<std::vector<double>> &roundsUs, double secondsPerRound)
{
    std::vector<std::vector<double>> bySchedule(roundsUs.front().size());
    for (const std::vector<double> &round : roundsUs) {
        for (std::size_t i = 0; i < round.size(); ++i)
            bySchedule[i].push_back(round[i]);
    }
    std::vector<TimingInRounds> compared;
    for (const std::vector<double> &us : bySchedule)
        compared.push_back(summary(bySchedule.front(), us, secondsPerRound));
    return compared;
}

std::vector<TimingInRounds> comparedExactly(std::span<const double> latenciesUs)
{
    std::vector<TimingInRounds> compared;
    for (const double us : latenciesUs)
        compared.push_back({Timing::ofLatency(us), judgeExact(latenciesUs.front(), us)});
    return compared;
}

Result<std::vector<TimingInRounds>>
measureInRounds(std::size_t count, const std::function<Result<ScheduleLatency>(std::size_t which)> &measure, int rounds,
                const std::function<void(const RoundsProgress &)> &told)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::vector<std::vector<double>> roundsUs(static_cast<std::size_t>(rounds), std::vector<double>(count, 0));
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    for (std::size_t round = 0; round < roundsUs.size(); ++round) {
        if (told) {
            const auto done = static_cast<int>(round);
            told({done, rounds, done > 0 ? seconds() / done * (rounds - done) : 0});
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
                                                             const std::function<void(const RoundsProgress &)> &told)
{
    return measureInRounds(
        schedules.size(), [&](std::size_t which) { return session.measureWhole(schedules[which], stop); }, rounds,
        told);
}

std::vector<std::size_t> keepFasterBaselines(std::vector<MadeSchedule> &all, std::vector<TimingInRounds> &times,
                                             std::size_t baselines, const BoundaryCost &boundary)
{
    std::vector<std::size_t> winner(all.size());
    std::iota(winner.begin(), winner.end(), std::size_t{0});
    for (std::size_t i = baselines; i < all.size(); ++i) {
        if (all[i].blocks.empty() || all[i].schedule.search.pinnedStages > 0)
            continue;
        for (std::size_t b = 0; b < baselines; ++b) {
            if (times[b].timing.latencyUs < times[winner[i]].timing.latencyUs)
                winner[i] = b;
        }
        if (winner[i] == i)
            continue;
        replaceWithBaseline(all[i].schedule, all[i].blocks, all[winner[i]].schedule, boundary);
        all[i].schedule.search.termination = Termination::BaselineKept;
        times[i] = times[winner[i]];
    }
    return winner;
}

} // namespace stagecraft
