#include "widgets/timeline/timeline_lane.h"

#include "timeline/timeline_rows.h"
#include "widgets/charts/plot_style.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kStageNumbers = 14; // pixels above the first stream

// Lanes differ in colour and in the dashes of their mean lines.
QColor laneColour(const Theme &theme, std::size_t index)
{
    const std::array colours{theme.accent, QColor(theme.dark ? 0xf2a65a : 0xb45f06),
                             QColor(theme.dark ? 0xd79bd1 : 0x8e3b86), theme.mutedText};
    return colours[index % colours.size()];
}

Qt::PenStyle meanStyle(std::size_t index)
{
    constexpr std::array kStyles{Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
    return kStyles[index % kStyles.size()];
}

} // namespace

TimelineLane::TimelineLane(QCustomPlot *plot, QCPAxisRect *counters, bool isFirst)
    : m_plot(plot), m_counters(counters), m_rect(new QCPAxisRect(plot)),
      m_counterTime(isFirst ? counters->axis(QCPAxis::atBottom) : counters->addAxis(QCPAxis::atBottom)),
      m_isFirst(isFirst)
{
    m_rect->setLayer(QStringLiteral("background"));
    m_rect->setRangeDrag(Qt::Horizontal);
    m_rect->setRangeZoom(Qt::Horizontal);
    m_rect->setRangeZoomAxes(time(), nullptr);
    for (QCPAxis *axis : m_rect->axes())
        axis->setLayer(QStringLiteral("axes"));
    m_rect->setMinimumMargins(QMargins(8, 4, 8, 2));
    time()->setTickLabels(false);
    time()->setTicks(false);
    QCPAxis *streams = m_rect->axis(QCPAxis::atLeft);
    streams->setTicker(m_ticks);
    streams->setRangeReversed(true);
    streams->grid()->setVisible(false);
    m_counterTime->setVisible(isFirst);
    m_bands = new StageBands(time(), streams);
    m_bands->numbered = true;
    if (isFirst)
        m_counterBands = new StageBands(m_counterTime, counters->axis(QCPAxis::atLeft));
    for (StageBands *bands : {m_bands, m_counterBands}) {
        if (bands)
            bands->setLayer(QLatin1String(kBandsLayer));
    }
    m_kernels = new KernelRows(time(), streams);
    m_line = new CounterSteps(m_counterTime, counters->axis(QCPAxis::atLeft));
    m_mean = new QCPItemStraightLine(plot);
    for (QCPItemPosition *position : {m_mean->point1, m_mean->point2}) {
        position->setType(QCPItemPosition::ptPlotCoords);
        position->setAxisRect(counters);
        position->setAxes(m_counterTime, counters->axis(QCPAxis::atLeft));
    }
    m_mean->setClipAxisRect(counters);
    m_mean->setClipToAxisRect(true);
}

TimelineLane::~TimelineLane()
{
    m_plot->removeItem(m_mean);
    for (QCPAbstractPlottable *part :
         {static_cast<QCPAbstractPlottable *>(m_line), static_cast<QCPAbstractPlottable *>(m_kernels),
          static_cast<QCPAbstractPlottable *>(m_counterBands), static_cast<QCPAbstractPlottable *>(m_bands)}) {
        if (part)
            m_plot->removePlottable(part);
    }
    if (!m_isFirst)
        m_counters->removeAxis(m_counterTime);
    m_plot->plotLayout()->remove(m_rect);
    m_plot->plotLayout()->simplify();
}

void TimelineLane::set(TimelineOf of)
{
    m_line->setSeries(nullptr, 0); // it points into the old timeline
    m_what = std::move(of);
    m_kernels->timeline = m_bands->timeline = m_what.timeline;
    if (m_counterBands)
        m_counterBands->timeline = m_what.timeline;
    const bool isOnThreads = isMade() && hasThreadRows(*m_what.timeline);
    m_rect->axis(QCPAxis::atLeft)
        ->setLabel(!m_what.letter.isEmpty() ? m_what.letter
                                            : (isOnThreads ? QStringLiteral("thread") : QStringLiteral("stream")));
    select(m_what.selection ? m_what.selection->current() : Selected{});
}

void TimelineLane::applyTheme(const Theme &theme, std::size_t index, bool isAlone)
{
    m_bands->theme = m_kernels->theme = m_line->theme = theme;
    if (m_counterBands)
        m_counterBands->theme = theme;
    m_colour = laneColour(theme, index);
    m_line->colour = m_colour;
    m_line->isFilled = isAlone;
    m_mean->setPen(QPen(isAlone ? theme.mutedText : m_colour, 1, meanStyle(index)));
    if (!isAlone)
        m_rect->axis(QCPAxis::atLeft)->setLabelColor(m_colour);
}

void TimelineLane::select(const Selected &selected)
{
    m_kernels->selected = selected;
    m_bands->selected = selected.stage;
    if (m_counterBands)
        m_counterBands->selected = selected.stage;
}

void TimelineLane::setRange(const QCPRange &shared)
{
    const QCPRange own(shared.lower + shiftUs, shared.upper + shiftUs);
    time()->setRange(own);
    m_counterTime->setRange(own);
}

void TimelineLane::fitRows()
{
    const double streams = isMade() ? static_cast<double>(std::max<std::size_t>(1, m_what.timeline->streams)) : 1;
    const double height = std::max(kStageNumbers + 8.0, static_cast<double>(m_rect->height()));
    const double rows = streams * height / (height - kStageNumbers);
    QCPAxis *axis = m_rect->axis(QCPAxis::atLeft);
    axis->setRange(streams - 0.5 - rows, streams - 0.5);
    // As many stream numbers as fit.
    const double row = (height - kStageNumbers) / streams;
    const int step = std::max(1, static_cast<int>(std::ceil(QFontMetrics(axis->tickLabelFont()).height() * 0.8 / row)));
    // The layout was computed with the old numbers: replot if they change.
    const std::pair<double, int> numbers{streams, step};
    if (numbers != m_streamNumbers)
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    m_streamNumbers = numbers;
    m_ticks->clear();
    for (int stream = 0; isMade() && stream < static_cast<int>(streams); stream += step)
        m_ticks->addTick(stream, QString::number(stream + 1));
}

void TimelineLane::setCounter(const CounterSeries *series)
{
    m_line->setSeries(series, isMade() ? m_what.timeline->durationNs : 0);
    m_mean->setVisible(series != nullptr);
    if (!series)
        return;
    const double average = mean(*series, m_what.timeline->durationNs);
    m_mean->point1->setCoords(0, average);
    m_mean->point2->setCoords(durationUs(), average);
}

std::optional<std::size_t> TimelineLane::stageAt(double ownUs) const
{
    for (std::size_t i = 0; isMade() && i < m_what.timeline->stages.size(); ++i) {
        const StageSpan &span = m_what.timeline->stages[i];
        if (ownUs >= microseconds(span.startNs) && ownUs < microseconds(span.endNs))
            return span.stage;
    }
    return std::nullopt;
}

std::optional<double> TimelineLane::startOf(std::size_t stage) const
{
    if (!isMade())
        return std::nullopt;
    const auto &spans = m_what.timeline->stages;
    const auto span = std::ranges::find(spans, stage, &StageSpan::stage);
    return span != spans.end() ? std::optional(microseconds(span->startNs)) : std::nullopt;
}

std::optional<QCPRange> TimelineLane::rangeOf(const Selected &selected) const
{
    if (!isMade() || (!selected.op && !selected.stage))
        return std::nullopt;
    std::int64_t from = m_what.timeline->durationNs;
    std::int64_t to = 0;
    for (const KernelSpan &kernel : m_what.timeline->kernels) {
        const bool wanted = selected.op ? std::ranges::find(kernel.operators, *selected.op) != kernel.operators.end()
                                        : kernel.stage == *selected.stage;
        if (wanted) {
            from = std::min(from, kernel.startNs);
            to = std::max(to, kernel.endNs);
        }
    }
    if (to <= from)
        return std::nullopt;
    return QCPRange(microseconds(from), microseconds(to));
}

} // namespace stagecraft
