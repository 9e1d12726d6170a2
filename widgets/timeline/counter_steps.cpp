#include "widgets/timeline/counter_steps.h"

#include <QImage>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr float kPeak = 0.10F; // opacities
constexpr float kMean = 0.08F;
constexpr float kFilledPeak = 0.22F;
constexpr float kFilledMean = 0.50F;
constexpr std::size_t kBlock = 32; // steps between stored sums

} // namespace

void CounterSteps::setSeries(std::shared_ptr<const CounterSeries> series, std::int64_t durationNs)
{
    m_series = series && !series->timesNs.empty() ? std::move(series) : nullptr;
    m_durationNs = durationNs;
    m_integrals.clear();
    m_peaks.clear();
    if (!m_series)
        return;
    double sum = 0;
    for (std::size_t i = 0; i < m_series->timesNs.size(); ++i) {
        if (i % kBlock == 0) {
            m_integrals.push_back(sum);
            m_peaks.push_back(0);
        }
        m_peaks.back() = std::max(m_peaks.back(), m_series->values[i]);
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
    const std::vector<std::int64_t> &times = m_series->timesNs;
    double sum = m_integrals[step / kBlock];
    for (std::size_t i = step / kBlock * kBlock; i < step; ++i)
        sum += m_series->values[i] * static_cast<double>(times[i + 1] - times[i]);
    return sum + std::max(0.0, timeNs - static_cast<double>(times[step])) * m_series->values[step];
}

double CounterSteps::peakOf(std::size_t first, std::size_t last) const
{
    double peak = 0;
    for (std::size_t i = first; i <= last;) {
        const bool isWholeBlock = i % kBlock == 0 && i + kBlock <= last + 1;
        peak = std::max(peak, isWholeBlock ? m_peaks[i / kBlock] : m_series->values[i]);
        i += isWholeBlock ? kBlock : 1;
    }
    return peak;
}

CounterSteps::Summary CounterSteps::between(double fromNs, double toNs) const
{
    if (!m_series)
        return {};
    const std::size_t first = stepAt(fromNs);
    const std::size_t last = stepAt(std::nextafter(toNs, fromNs));
    const double mean =
        first == last ? m_series->values[first] : (integralTo(toNs) - integralTo(fromNs)) / (toNs - fromNs);
    return {mean, peakOf(first, last)};
}

double CounterSteps::meanIn(const QCPRange &axisUs) const
{
    const double fromNs = std::max(0.0, (axisUs.lower + shiftUs) * 1e3);
    const double toNs = std::min(static_cast<double>(m_durationNs), (axisUs.upper + shiftUs) * 1e3);
    if (!m_series || fromNs >= toNs)
        return 0;
    const double first = std::max(fromNs, static_cast<double>(m_series->timesNs.front())); // nothing before it
    return first < toNs ? (integralTo(toNs) - integralTo(first)) / (toNs - fromNs) : 0;
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
    if (!m_series || keyAxis()->axisRect()->rect().isEmpty())
        return;
    painter->setAntialiasing(false);
    if (painter->modes().testFlag(QCPPainter::pmNoCaching))
        drawLines(*painter);
    else
        drawPixels(*painter);
    const QRect area = keyAxis()->axisRect()->rect();
    const double level = valueAxis()->coordToPixel(meanIn(keyAxis()->range()));
    painter->setPen(meanPen);
    painter->drawLine(QLineF(area.left(), level, area.right(), level));
}

CounterSteps::Summary CounterSteps::atPixel(double x, double width) const
{
    const auto ns = [this](double pixel) { return (keyAxis()->pixelToCoord(pixel) + shiftUs) * 1e3; };
    const double fromNs = std::max(0.0, ns(x));
    const double toNs = std::min(static_cast<double>(m_durationNs), ns(x + width));
    return fromNs < toNs ? between(fromNs, toNs) : Summary{-1, -1};
}

// For pictures of any size: the mean and the peak of each half unit.
void CounterSteps::drawLines(QCPPainter &painter) const
{
    constexpr double kStep = 0.5;
    const QRect area = keyAxis()->axisRect()->rect();
    QPolygonF means;
    QPolygonF peaks;
    for (double x = area.left(); x < area.right() + 1; x += kStep) {
        const Summary summary = atPixel(x, kStep);
        if (summary.mean < 0)
            continue;
        for (const auto &[line, value] : {std::pair{&means, summary.mean}, std::pair{&peaks, summary.peak}}) {
            const double y = std::max<double>(valueAxis()->coordToPixel(value), area.top());
            const bool goesOn = line->size() > 1 && line->back().y() == y && (*line)[line->size() - 2].y() == y;
            if (goesOn)
                line->back().setX(x + kStep);
            else
                *line << QPointF(x, y) << QPointF(x + kStep, y);
        }
    }
    if (means.isEmpty())
        return;
    const auto fillBelow = [&](QPolygonF line, float opacity) {
        QColor shade = colour;
        shade.setAlphaF(opacity);
        line << QPointF(line.back().x(), area.bottom()) << QPointF(line.front().x(), area.bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(shade);
        painter.drawPolygon(line);
    };
    fillBelow(peaks, isFilled ? kFilledPeak : kPeak);
    fillBelow(means, isFilled ? kFilledMean : kMean);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1));
    painter.drawPolyline(means);
}

void CounterSteps::drawPixels(QCPPainter &painter) const
{
    const QRect area = keyAxis()->axisRect()->rect();
    const auto row = [&](double value) { // of the picture, from its top
        return std::clamp(static_cast<int>(std::lround(valueAxis()->coordToPixel(value))) - area.top(), 0,
                          area.height() - 1);
    };
    const auto ink = [this](float opacity) {
        QColor shade = colour;
        shade.setAlphaF(opacity);
        return qPremultiply(shade.rgba());
    };
    const QRgb faint = ink(isFilled ? kFilledPeak : kPeak);
    const QRgb solid = ink(isFilled ? kFilledMean : kMean);
    QImage picture(area.size(), QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    const auto fill = [&](int x, int from, int to, QRgb shade) { // [from, to)
        for (int y = from; y < to; ++y)
            reinterpret_cast<QRgb *>(picture.scanLine(y))[x] = shade;
    };
    int before = area.height() - 1;
    for (int x = 0; x < area.width(); ++x) {
        const Summary summary = atPixel(area.left() + x, 1);
        if (summary.mean < 0)
            continue;
        const int top = row(summary.mean);
        fill(x, row(summary.peak), top, faint);
        fill(x, top, area.height(), solid);
        fill(x, std::min(top, before), std::max(top, before) + 1, colour.rgba()); // joined to the previous level
        before = top;
    }
    painter.drawImage(area.topLeft(), picture);
}

} // namespace stagecraft
