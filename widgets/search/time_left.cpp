#include "widgets/search/time_left.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kWindowSeconds = 6;
constexpr double kLeastSeconds = 2; // shorter windows say nothing
constexpr double kSteady = 3;       // a pace that varies by a larger factor within the window gives no estimate

QString rounded(double seconds)
{
    if (seconds < 10)
        return QStringLiteral("%1 s").arg(std::max(1.0, std::round(seconds)));
    if (seconds < 90)
        return QStringLiteral("%1 s").arg(5 * std::round(seconds / 5));
    if (seconds < 5400)
        return QStringLiteral("%1 min").arg(std::round(seconds / 60));
    return QStringLiteral("%1 h").arg(std::round(seconds / 3600));
}

} // namespace

QString secondsLeftText(double seconds)
{
    return seconds > 0 ? QStringLiteral("about %1 left").arg(rounded(seconds)) : QString();
}

void TimeLeft::add(const SearchProgress &progress)
{
    const bool isSearching = progress.bestUs > 0 && progress.lowerBoundUs > 0;
    if (!isSearching)
        return;
    if (!m_samples.empty() && progress.elapsedSeconds <= m_samples.back().seconds)
        return;
    m_samples.push_back({progress.elapsedSeconds, std::max(0.0, progress.bestUs - progress.lowerBoundUs),
                         static_cast<double>(progress.stagesNotKnown)});
    while (m_samples.size() > 2 && m_samples.back().seconds - m_samples[1].seconds >= kWindowSeconds)
        m_samples.pop_front();
}

std::optional<TimeLeft::Estimate> TimeLeft::estimate() const
{
    if (m_samples.size() < 3 || m_samples.back().seconds - m_samples.front().seconds < kLeastSeconds)
        return std::nullopt;
    const double half = (m_samples.front().seconds + m_samples.back().seconds) / 2;
    const Sample &middle =
        *std::ranges::find_if(m_samples, [half](const Sample &each) { return each.seconds >= half; });
    const auto secondsFor = [&](double Sample::*what) -> std::optional<double> {
        const auto pace = [what](const Sample &from, const Sample &to) {
            return to.seconds > from.seconds ? (from.*what - to.*what) / (to.seconds - from.seconds) : 0;
        };
        const double before = pace(m_samples.front(), middle);
        const double now = pace(middle, m_samples.back());
        if (before <= 0 || now <= 0 || std::max(before, now) > kSteady * std::min(before, now))
            return std::nullopt;
        return m_samples.back().*what / std::min(before, now);
    };
    const auto byGap = secondsFor(&Sample::gapUs);
    const auto byStages = secondsFor(&Sample::unknown);
    if (byGap && (!byStages || *byGap <= *byStages))
        return Estimate{*byGap, false};
    if (byStages)
        return Estimate{*byStages, true};
    return std::nullopt;
}

QString TimeLeft::text() const
{
    const auto left = estimate();
    if (!left)
        return {};
    return left->isBound ? QStringLiteral("at most %1 left").arg(rounded(left->seconds))
                         : secondsLeftText(left->seconds);
}

} // namespace stagecraft
