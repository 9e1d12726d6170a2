#include "timing/statistics/repeats.h"

#include "timing/statistics/students_t.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stagecraft {
namespace {

constexpr double kTails = 0.05;
constexpr double kClose = 1e-13; // of logarithms: no latency is known that well
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The quantile of Student's t for an interval that is one of several. Degrees that are not a number count as 1.
double quantileOf(double degrees, std::size_t comparisons)
{
    constexpr double kMostDegrees = 1000; // beyond, it hardly changes
    const double clamped = std::isfinite(degrees) ? std::clamp(std::floor(degrees), 1.0, kMostDegrees) : 1;
    const auto whole = static_cast<std::size_t>(clamped);
    return studentsT(whole, kTails / static_cast<double>(comparisons));
}

std::vector<double> sortedLogs(std::span<const double> values)
{
    std::vector<double> logs(values.begin(), values.end());
    for (double &value : logs)
        value = std::log(value);
    std::ranges::sort(logs);
    return logs;
}

// Differences between every value of one list and every value of another, in order, without making them all.
class PairwiseDifferences {
public:
    PairwiseDifferences(std::span<const double> baseUs, std::span<const double> otherUs)
        : m_base(sortedLogs(baseUs)), m_other(sortedLogs(otherUs))
    {
    }

    [[nodiscard]] double count() const
    {
        return static_cast<double>(m_base.size()) * static_cast<double>(m_other.size());
    }

    // The one with this many below it.
    [[nodiscard]] double at(double place) const
    {
        double low = m_base.front() - m_other.back();
        double high = m_base.back() - m_other.front();
        if (notAbove(low) > place)
            return low;
        while (high - low > kClose) {
            const double middle = low + (high - low) / 2;
            if (middle <= low || middle >= high) // of ratios beyond all latencies
                break;
            (notAbove(middle) > place ? high : low) = middle;
        }
        return high;
    }

private:
    [[nodiscard]] double notAbove(double difference) const
    {
        double pairs = 0;
        std::size_t other = 0;
        for (const double base : m_base) {
            while (other < m_other.size() && base - m_other[other] > difference)
                ++other;
            pairs += static_cast<double>(m_other.size() - other);
        }
        return pairs;
    }

    std::vector<double> m_base;
    std::vector<double> m_other;
};

// Ranks from the middle one; equal values share theirs.
std::vector<double> centredRanks(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    const double middle = (static_cast<double>(values.size()) - 1) / 2;
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        for (std::size_t i = first; i < end; ++i)
            ranks[order[i]] = static_cast<double>(first + end - 1) / 2 - middle;
    }
    return ranks;
}

// How many independent runs each run is worth. The autocorrelation of few values is too small by (1 + 3 r) / n in the
// mean (Kendall, 1954); both lists tell it together.
double worthOfRuns(std::span<const double> baseUs, std::span<const double> otherUs)
{
    constexpr double kMost = 0.95;
    const auto base = static_cast<double>(baseUs.size());
    const auto other = static_cast<double>(otherUs.size());
    const double seen = (base * rankAutocorrelation(baseUs) + other * rankAutocorrelation(otherUs)) / (base + other);
    const double correlation = std::clamp(seen + (1 + 3 * seen) * 2 / (base + other), 0.0, kMost);
    return (1 - correlation) / (1 + correlation);
}

SpeedupEstimate judgeRuns(std::span<const double> baseUs, std::span<const double> otherUs, std::size_t comparisons)
{
    const PairwiseDifferences differences(baseUs, otherUs);
    const double worth = worthOfRuns(baseUs, otherUs);
    const double base = std::max(2.0, worth * static_cast<double>(baseUs.size()));
    const double other = std::max(2.0, worth * static_cast<double>(otherUs.size()));
    const double half = quantileOf(base + other - 2, comparisons) * std::sqrt((base + other + 1) / (12 * base * other));
    const double pairs = differences.count();
    const double below = std::floor((0.5 - half) * pairs - 0.5); // pairs beyond each end
    const double middle = std::exp(differences.at(std::floor(pairs / 2)));
    const std::size_t runs = std::min(baseUs.size(), otherUs.size());
    if (below < 0)
        return judgeInterval(middle, 0, kInfinity, runs);
    return judgeInterval(middle, std::exp(differences.at(below)), std::exp(differences.at(pairs - 1 - below)), runs);
}

// Of the logarithm of the median. That of a normal sample is sqrt(pi / 2) times as uncertain as its mean.
double squaredError(const Timing &timing)
{
    constexpr double kOfMedian = 1.2533;
    const double error = kOfMedian * timing.stddevUs / timing.meanUs;
    return error * error / timing.runs;
}

SpeedupEstimate judgeSpread(const Timing &base, const Timing &other, std::size_t comparisons)
{
    const double ofBase = squaredError(base);
    const double sum = ofBase + squaredError(other);
    const double share = ofBase / sum; // not a number where both are 0 or one is infinite
    const double degrees = 1 / (share * share / (base.runs - 1) + (1 - share) * (1 - share) / (other.runs - 1));
    const double half = std::sqrt(sum) * quantileOf(degrees, comparisons);
    const double speedup = base.latencyUs / other.latencyUs;
    return judgeInterval(speedup, speedup * std::exp(-half), speedup * std::exp(half),
                         static_cast<std::size_t>(std::min(base.runs, other.runs)));
}

} // namespace

std::string_view toString(JudgedBy by)
{
    switch (by) {
    case JudgedBy::Runs: return "runs";
    case JudgedBy::Spread: return "spread";
    case JudgedBy::Exact: return "exact";
    case JudgedBy::Single: return "single";
    }
    return {};
}

bool JudgedRepeats::hasInterval() const
{
    return (by == JudgedBy::Runs || by == JudgedBy::Spread) && std::isfinite(estimate.high);
}

double rankAutocorrelation(std::span<const double> values)
{
    const std::vector<double> ranks = centredRanks(values);
    double squares = 0;
    double products = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        squares += ranks[i] * ranks[i];
        if (i > 0)
            products += ranks[i] * ranks[i - 1];
    }
    return squares > 0 ? products / squares : 0;
}

JudgedRepeats judgeRepeats(const Repeats &base, const Repeats &other, std::size_t comparisons)
{
    constexpr auto kLeast = static_cast<std::size_t>(kRoundsForVerdict);
    if (base.runsUs.size() >= kLeast && other.runsUs.size() >= kLeast)
        return {judgeRuns(base.runsUs, other.runsUs, comparisons), JudgedBy::Runs};
    if (base.timing.runs >= kRoundsForVerdict && other.timing.runs >= kRoundsForVerdict)
        return {judgeSpread(base.timing, other.timing, comparisons), JudgedBy::Spread};
    return {judgeInterval(base.timing.latencyUs / other.timing.latencyUs, 0, kInfinity, 1), JudgedBy::Single};
}

} // namespace stagecraft
