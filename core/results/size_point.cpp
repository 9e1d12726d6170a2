#include "results/size_point.h"

#include "support/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr double kLeastGain = 1.005;

// Both axes logarithmic. Verdicts need not agree with the gains alone: then it is the middle.
double crossing(const SizePoint &a, const SizePoint &b, std::size_t schedule)
{
    const double wanted = std::log(kLeastGain);
    const double from = std::log(a.gain(schedule).speedup);
    const double to = std::log(b.gain(schedule).speedup);
    const double share = (wanted - from) / (to - from);
    const bool isBetween = std::isfinite(share) && share >= 0 && share <= 1;
    const double low = std::log(static_cast<double>(a.size));
    const double high = std::log(static_cast<double>(b.size));
    return std::exp(low + (high - low) * (isBetween ? share : 0.5));
}

} // namespace

bool gains(const SpeedupEstimate &gain)
{
    return gain.verdict == Verdict::None ? gain.speedup >= kLeastGain : gain.verdict == Verdict::Faster;
}

std::string gainText(const SizePoint &point, std::size_t schedule)
{
    const SpeedupEstimate &gain = point.gain(schedule);
    if (!point.hasInterval())
        return speedupText(gain.speedup);
    return fmt::format("{} ({} to {})", speedupText(gain.speedup), speedupText(gain.low), speedupText(gain.high));
}

std::vector<SizeCrossing> crossingsOf(std::span<const SizePoint> points, std::size_t schedule)
{
    std::vector<SizeCrossing> all;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const bool gainsAbove = gains(points[i].gain(schedule));
        if (gains(points[i - 1].gain(schedule)) != gainsAbove)
            all.push_back(
                {points[i - 1].size, points[i].size, crossing(points[i - 1], points[i], schedule), gainsAbove});
    }
    return all;
}

std::string crossingText(std::span<const SizePoint> points, std::size_t schedule, const std::string &parameter)
{
    if (points.empty())
        return {};
    const std::string name = fmt::format("{}: ", kSizeSchedules[schedule]);
    const std::vector<SizeCrossing> all = crossingsOf(points, schedule);
    if (all.empty())
        return name + fmt::format("{}, from {} = {} to {}",
                                  gains(points.front().gain(schedule)) ? "gains at every size" : "never gains",
                                  parameter, grouped(points.front().size), grouped(points.back().size));
    std::string text;
    for (const SizeCrossing &each : all)
        text += fmt::format("{}between {} = {} and {}, at about {}: it gains {}", text.empty() ? "" : "; ", parameter,
                            grouped(each.below), grouped(each.above), grouped(std::llround(each.at)),
                            each.gainsAbove ? "above" : "below");
    return name + "the gain crosses 1 " + text;
}

} // namespace stagecraft
