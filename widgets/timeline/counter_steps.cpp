#include "widgets/timeline/counter_steps.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

void CounterSteps::setSeries(const CounterSeries *series, std::int64_t durationNs)
{
    m_series = series && !series->timesNs.empty() ? series : nullptr;
    m_durationNs = durationNs;
    m_integral.clear();
    if (!m_series)
        return;
    m_integral.reserve(m_series->timesNs.size());
    double sum = 0;
    for (std::size_t i = 0; i < m_series->timesNs.size(); ++i) {
        m_integral.push_back(sum);
        if (i + 1 < m_series->timesNs.size())
            sum += m_series->values[i] * static_cast<double>(m_series->timesNs[i + 1] - m_series->timesNs[i]);
    }
}

// The step at the given time; the first one for earlier times.
std::size_t CounterSteps::stepAt(double timeNs) const
{
    const auto after =
        std::upper_bound(m_series->timesNs.begin(), m_series->timesNs.end(), timeNs,
                         [](double time, std::int64_t step) { return time < static_cast<double>(step); });
    return after == m_series->timesNs.begin() ? 0 : static_cast<std::size_t>(after - m_series->timesNs.begin()) - 1;
}

double CounterSteps::integralTo(double timeNs) const
{
    const std::size_t step = stepAt(timeNs);
    const double since = timeNs - static_cast<double>(m_series->timesNs[step]);
    return m_integral[step] + std::max(0.0, since) * m_series->values[step];
}

CounterSteps::Summary CounterSteps::between(double fromNs, double toNs) const
{
    Summary summary;
    if (!m_series)
        return summary;
    const std::size_t first = stepAt(fromNs);
    const std::size_t last = stepAt(std::nextafter(toNs, fromNs));
    for (std::size_t i = first; i <= last; ++i)
        summary.peak = std::max(summary.peak, m_series->values[i]);
    summary.mean = first == last ? m_series->values[first] : (integralTo(toNs) - integralTo(fromNs)) / (toNs - fromNs);
    return summary;
}

QCPRange CounterSteps::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = m_series != nullptr;
    return {0, static_cast<double>(m_durationNs) / 1e3};
}

QCPRange CounterSteps::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = m_series != nullptr;
    return found ? QCPRange(0, *std::max_element(m_series->values.begin(), m_series->values.end())) : QCPRange();
}

void CounterSteps::draw(QCPPainter *painter)
{
    if (!m_series)
        return;
    painter->setAntialiasing(false);
    const QRect area = keyAxis()->axisRect()->rect();
    const double floor = valueAxis()->coordToPixel(0);
    QColor faint = colour;
    faint.setAlphaF(isFilled ? 0.22F : 0.10F);
    QColor solid = colour;
    solid.setAlphaF(isFilled ? 0.50F : 0.08F);
    double before = floor;
    for (int x = area.left(); x <= area.right(); ++x) {
        const double fromNs = std::max(0.0, keyAxis()->pixelToCoord(x) * 1e3);
        const double toNs = std::min(static_cast<double>(m_durationNs), keyAxis()->pixelToCoord(x + 1) * 1e3);
        if (fromNs >= toNs)
            continue;
        const Summary summary = between(fromNs, toNs);
        const double top = valueAxis()->coordToPixel(summary.mean);
        const double peak = valueAxis()->coordToPixel(summary.peak);
        painter->fillRect(QRectF(x, peak, 1, top - peak), faint);
        painter->fillRect(QRectF(x, top, 1, floor - top), solid);
        // The line: this pixel's level, joined to the previous one.
        const double upper = std::min(top, before);
        painter->fillRect(QRectF(x, upper, 1, std::max(1.0, std::max(top, before) - upper)), colour);
        before = top;
    }
}

} // namespace stagecraft
