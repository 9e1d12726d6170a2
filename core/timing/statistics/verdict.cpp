#include "timing/statistics/verdict.h"

#include "timing/statistics/students_t.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace stagecraft {
namespace {

constexpr double kLeastEffect = 0.005;
constexpr double kSame = 0.01;
constexpr double kMostRounds = 1e6;
constexpr double kChance = 0.05; // of a difference that is none

double distance(double ratio)
{
    return ratio >= 1 ? ratio - 1 : 1 / ratio - 1;
}

Verdict verdictOf(double speedup, double low, double high)
{
    if ((low > 1 || high < 1) && distance(speedup) >= kLeastEffect)
        return speedup > 1 ? Verdict::Faster : Verdict::Slower;
    return distance(low) <= kSame && distance(high) <= kSame ? Verdict::Same : Verdict::NotShown;
}

// The interval shrinks with the root of the number of rounds, until it excludes 1 or lies within the range of "same".
std::int64_t moreRounds(double mean, double half, std::size_t rounds)
{
    const double effect = std::abs(mean);
    const double outside = effect >= std::log1p(kLeastEffect) ? effect : 0;
    const double inside = std::log1p(kSame) - effect;
    const double needed = std::max(outside, inside);
    if (!std::isfinite(half) || needed <= 0)
        return 0;
    const double count = static_cast<double>(rounds);
    const double all = std::min(kMostRounds, std::ceil(count * (half / needed) * (half / needed)));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(all - count));
}

// The mean logarithm of the ratio over the rounds.
struct LogRatio {
    double mean = 0;
    double standardError = std::numeric_limits<double>::infinity(); // unknown for a single round
    std::size_t rounds = 0;

    // The probability of a mean at least as far from 0 if there is no difference.
    [[nodiscard]] double chance() const
    {
        if (rounds < 2)
            return 1;
        if (standardError <= 0)
            return mean == 0 ? 1 : 0;
        return studentsTails(mean / standardError, rounds - 1);
    }
};

LogRatio logRatio(std::span<const double> baseUs, std::span<const double> otherUs)
{
    const auto count = static_cast<double>(baseUs.size());
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < baseUs.size(); ++i) {
        const double ratio = std::log(baseUs[i] / otherUs[i]);
        sum += ratio;
        squares += ratio * ratio;
    }
    LogRatio ratio{sum / count, std::numeric_limits<double>::infinity(), baseUs.size()};
    if (ratio.rounds > 1)
        ratio.standardError = std::sqrt(std::max(0.0, (squares - sum * ratio.mean) / (count - 1)) / count);
    return ratio;
}

// `quantile`: the interval's half width in standard errors.
SpeedupEstimate judged(const LogRatio &ratio, double quantile)
{
    const double half = ratio.rounds > 1 ? quantile * ratio.standardError : std::numeric_limits<double>::infinity();
    return judgeInterval(std::exp(ratio.mean), std::exp(ratio.mean - half), std::exp(ratio.mean + half), ratio.rounds);
}

} // namespace

std::string_view toString(Verdict verdict)
{
    switch (verdict) {
    case Verdict::None: return "";
    case Verdict::Faster: return "faster";
    case Verdict::Slower: return "slower";
    case Verdict::Same: return "same within 1 %";
    case Verdict::NotShown: return "no difference shown";
    }
    return "";
}

SpeedupEstimate judge(std::span<const double> baseUs, std::span<const double> otherUs)
{
    const LogRatio ratio = logRatio(baseUs, otherUs);
    return judged(ratio, ratio.rounds > 1 ? studentsT(ratio.rounds - 1) : 0);
}

std::vector<SpeedupEstimate> judgeTogether(std::span<const PairedRounds> all)
{
    if (all.size() == 1)
        return {judge(all.front().baseUs, all.front().otherUs)};
    std::vector<LogRatio> ratios;
    for (const PairedRounds &each : all)
        ratios.push_back(logRatio(each.baseUs, each.otherUs));
    std::vector<std::size_t> clearestFirst(all.size());
    std::iota(clearestFirst.begin(), clearestFirst.end(), std::size_t{0});
    std::ranges::sort(clearestFirst, {}, [&](std::size_t i) { return ratios[i].chance(); });
    std::vector<SpeedupEstimate> estimates(all.size());
    std::size_t left = all.size();
    for (const std::size_t i : clearestFirst) {
        const double tails = kChance / static_cast<double>(left);
        estimates[i] = judged(ratios[i], ratios[i].rounds > 1 ? studentsT(ratios[i].rounds - 1, tails) : 0);
        if (ratios[i].chance() <= tails && left > 1)
            --left; // stops at the first that may be chance
    }
    return estimates;
}

SpeedupEstimate judgeInterval(double speedup, double low, double high, std::size_t rounds)
{
    SpeedupEstimate estimate{speedup, low, high};
    if (rounds < static_cast<std::size_t>(kRoundsForVerdict))
        return estimate;
    estimate.verdict = verdictOf(speedup, low, high);
    estimate.atMost = std::max(distance(low), distance(high));
    if (estimate.verdict == Verdict::NotShown)
        estimate.moreRounds = moreRounds(std::log(speedup), std::log(high / low) / 2, rounds);
    return estimate;
}

SpeedupEstimate judgeExact(double baseUs, double otherUs)
{
    const double speedup = baseUs / otherUs;
    return {speedup, speedup, speedup, verdictOf(speedup, speedup, speedup), distance(speedup), 0};
}

std::string verdictText(const SpeedupEstimate &estimate, double secondsPerRound)
{
    std::string text(toString(estimate.verdict));
    if (estimate.verdict != Verdict::NotShown)
        return text;
    text += fmt::format(" (at most {:.1f} %", estimate.atMost * 100);
    if (estimate.moreRounds > 0) {
        text += fmt::format("; about {} more rounds", estimate.moreRounds);
        if (secondsPerRound > 0)
            text += fmt::format(", {:.0f} s,", std::ceil(static_cast<double>(estimate.moreRounds) * secondsPerRound));
        text += " would tell";
    }
    return text + ")";
}

} // namespace stagecraft
