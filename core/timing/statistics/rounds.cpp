#include "timing/statistics/rounds.h"

#include "timing/statistics/means.h"

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

} // namespace stagecraft
