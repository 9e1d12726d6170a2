#include "widgets/timeline/timeline_lane.h"

#include "timing/timeline/timeline_rows.h"
#include "widgets/base/plot_style.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kStageNumbers = 14; // pixels above the first stream

QCPRange inMicroseconds(TimeRange range)
{
    return {microseconds(range.fromNs), microseconds(range.toNs)};
}

// "2"; of a profile what tells its streams apart: "20" of "stream 20".
QString rowNumber(const Timeline &timeline, std::size_t row)
{
    if (!timeline.isOfProfile())
        return QString::number(row + 1);
    const QString name = QString::fromStdString(timeline.streamNames[row]);
    return name.startsWith(QLatin1String("stream ")) || name.startsWith(QLatin1String("thread ")) ? name.mid(7) : name;
}

} // namespace

TimelineLane::TimelineLane(QCustomPlot *plot) : m_plot(plot), m_rect(new QCPAxisRect(plot))
{
    m_plot->plotLayout()->addElement(m_plot->plotLayout()->rowCount(), 0, m_rect);
    for (QCPAxis *axis : m_rect->axes())
        axis->setLayer(QStringLiteral("axes"));
    m_rect->setMinimumMargins(QMargins(8, 4, 8, 2));
    QCPAxis *streams = m_rect->axis(QCPAxis::atLeft);
    streams->setTicker(m_ticks);
    streams->setRangeReversed(true);
    streams->grid()->setVisible(false);
    m_bands = new StageBands(time(), streams);
    m_bands->numbered = true;
    m_rect->setLayer(QStringLiteral("background"));
    m_bands->setLayer(QLatin1String(kBandsLayer));
    m_kernels = new KernelRows(time(), streams);
}

TimelineLane::~TimelineLane()
{
    m_plot->removePlottable(m_kernels);
    m_plot->removePlottable(m_bands);
    m_plot->plotLayout()->remove(m_rect);
    m_plot->plotLayout()->simplify();
}

void TimelineLane::set(TimelineOf of)
{
    m_what = std::move(of);
    m_kernels->index = m_bands->index = m_what.timeline;
    if (m_kernels->graph != m_what.graph)
        m_kernels->models = m_what.graph ? ModelMarks(*m_what.graph) : ModelMarks();
    m_kernels->graph = m_what.graph;
    const bool isOnThreads = isMade() && hasThreadRows(timeline());
    m_rect->axis(QCPAxis::atLeft)
        ->setLabel(!m_what.letter.isEmpty() ? m_what.letter
                                            : (isOnThreads ? QStringLiteral("thread") : QStringLiteral("stream")));
    select(m_what.selection ? m_what.selection->current() : Selected{});
}

void TimelineLane::applyTheme(const Theme &theme, std::size_t index, bool isAlone)
{
    m_bands->theme = m_kernels->theme = theme;
    m_colour = theme.line(index);
    if (!isAlone)
        m_rect->axis(QCPAxis::atLeft)->setLabelColor(m_colour);
}

void TimelineLane::select(const Selected &selected)
{
    m_kernels->selected = selected;
    m_bands->selected = selected.stage;
    const auto block = blockOf(selected);
    m_bands->block = block ? rangeOfBlock(*block) : std::nullopt;
}

std::optional<std::size_t> TimelineLane::blockOf(const Selected &selected) const
{
    if (selected.block || !m_what.schedule || !selected.stage || *selected.stage >= m_what.schedule->stages.size())
        return selected.block;
    return m_what.schedule->stages[*selected.stage].block;
}

std::optional<TimeRange> TimelineLane::rangeOfBlock(std::size_t block) const
{
    if (!m_what.schedule || !m_what.timeline)
        return std::nullopt;
    std::optional<TimeRange> range;
    for (std::size_t stage = 0; stage < m_what.schedule->stages.size(); ++stage) {
        const auto place =
            m_what.schedule->stages[stage].block == block ? m_what.timeline->stagePlace(stage) : std::nullopt;
        if (!place)
            continue;
        const StageSpan &span = timeline().stages[*place];
        range = range ? TimeRange{std::min(range->fromNs, span.startNs), std::max(range->toNs, span.endNs)}
                      : TimeRange{span.startNs, span.endNs};
    }
    return range;
}

void TimelineLane::setRange(const QCPRange &shared)
{
    time()->setRange(shared.lower + shiftUs, shared.upper + shiftUs);
}

int TimelineLane::heightFor(double streams)
{
    return static_cast<int>(std::ceil(kStageNumbers + streams));
}

void TimelineLane::fitRows()
{
    const double streams = isMade() ? static_cast<double>(std::max<std::size_t>(1, timeline().streams)) : 1;
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
        m_ticks->addTick(stream, rowNumber(timeline(), static_cast<std::size_t>(stream)));
}

std::optional<std::size_t> TimelineLane::stageAt(double ownUs) const
{
    if (!m_what.timeline)
        return std::nullopt;
    const std::int64_t ns = nanoseconds(ownUs);
    const std::size_t place = m_what.timeline->firstStageEndingAfter(ns);
    const std::vector<StageSpan> &stages = timeline().stages;
    return place < stages.size() && stages[place].startNs <= ns ? std::optional(stages[place].stage) : std::nullopt;
}

std::optional<double> TimelineLane::startOf(std::size_t stage) const
{
    const auto place = m_what.timeline ? m_what.timeline->stagePlace(stage) : std::nullopt;
    return place ? std::optional(microseconds(timeline().stages[*place].startNs)) : std::nullopt;
}

std::optional<QCPRange> TimelineLane::rangeOf(const Selected &selected) const
{
    if (!m_what.timeline)
        return std::nullopt;
    const auto range = selected.op      ? m_what.timeline->rangeOf(*selected.op)
                       : selected.stage ? m_what.timeline->rangeOfStage(*selected.stage)
                       : selected.block ? rangeOfBlock(*selected.block)
                                        : std::nullopt;
    return range ? std::optional(inMicroseconds(*range)) : std::nullopt;
}

} // namespace stagecraft
