#include "widgets/timeline/timeline_stack.h"

#include "widgets/charts/plot_style.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kSmallestSpanUs = 0.5; // zooming in stops here
constexpr int kMostTicks = 3;           // on each axis of the counters
constexpr int kLevels = 300;            // parts of the visible time whose means the counter's axis must cover

} // namespace

TimelineStack::TimelineStack(QWidget *parent)
    : m_plot(new QCustomPlot(parent)), m_counters(new QCPAxisRect(m_plot)), m_margins(new QCPMarginGroup(m_plot))
{
    m_plot->addLayer(QLatin1String(kBandsLayer), m_plot->layer(QStringLiteral("grid")), QCustomPlot::limBelow);
    m_counters->setLayer(QStringLiteral("background"));
    m_plot->plotLayout()->clear();
    m_plot->plotLayout()->setRowSpacing(0);
    m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    m_counters->setMarginGroup(QCP::msLeft | QCP::msRight, m_margins);
    m_counters->setRangeDrag(Qt::Horizontal);
    m_counters->setRangeZoom(Qt::Horizontal);
    m_counters->setRangeZoomAxes(m_counters->axis(QCPAxis::atBottom), nullptr);
    for (QCPAxis *axis : m_counters->axes())
        axis->setLayer(QStringLiteral("axes"));
    m_counters->setMinimumMargins(QMargins(8, 4, 8, 4));
    for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atRight}) {
        m_counters->axis(side)->ticker()->setTickCount(kMostTicks);
        m_counters->axis(side)->ticker()->setTickStepStrategy(QCPAxisTicker::tssMeetTickCount);
    }
    m_counters->axis(QCPAxis::atRight)->setVisible(true);
    m_counters->axis(QCPAxis::atRight)->setLabel(QStringLiteral("% of max"));
    m_plot->plotLayout()->addElement(0, 0, m_counters);
    QObject::connect(m_counters->axis(QCPAxis::atBottom), qOverload<const QCPRange &>(&QCPAxis::rangeChanged), m_plot,
                     [this](const QCPRange &range) { setRange(range); });
    QObject::connect(m_plot, &QCustomPlot::afterLayout, m_plot, [this] { fitTicks(); });
    setLaneCount(1);
}

void TimelineStack::setLaneCount(std::size_t count)
{
    if (m_lanes.size() == count)
        return;
    while (m_lanes.size() > count)
        m_lanes.pop_back();
    const std::size_t before = m_lanes.size();
    while (m_lanes.size() < count) // while the plot has an axis rectangle: items need one
        m_lanes.push_back(std::make_unique<TimelineLane>(m_plot, m_counters, m_lanes.empty()));
    m_plot->plotLayout()->take(m_counters);
    m_plot->plotLayout()->simplify();
    for (std::size_t i = before; i < count; ++i) {
        const TimelineLane *lane = m_lanes[i].get();
        lane->rect()->setMarginGroup(QCP::msLeft | QCP::msRight, m_margins);
        m_plot->plotLayout()->addElement(m_plot->plotLayout()->rowCount(), 0, lane->rect());
        QObject::connect(lane->time(), qOverload<const QCPRange &>(&QCPAxis::rangeChanged), m_plot,
                         [this, lane](const QCPRange &range) {
                             setRange({range.lower - lane->shiftUs, range.upper - lane->shiftUs});
                         });
    }
    m_plot->plotLayout()->addElement(m_plot->plotLayout()->rowCount(), 0, m_counters);
    applyTheme(m_theme);
}

bool TimelineStack::isAnyMade() const
{
    return std::ranges::any_of(m_lanes, [](const auto &lane) { return lane->isMade(); });
}

TimelineLane *TimelineStack::laneAt(QPointF at) const
{
    const auto lane = std::ranges::find_if(
        m_lanes, [&](const auto &each) { return each->rect()->outerRect().contains(at.toPoint()); });
    return lane != m_lanes.end() ? lane->get() : nullptr;
}

bool TimelineStack::isAmongCounters(QPointF at) const
{
    return m_counters->rect().contains(at.toPoint());
}

void TimelineStack::applyTheme(const Theme &theme)
{
    m_theme = theme;
    stylePlot(*m_plot, theme);
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        m_lanes[i]->applyTheme(theme, i, isAlone());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

// From the first start to the last end, in shared time.
QCPRange TimelineStack::whole() const
{
    QCPRange range(0, 0);
    for (const auto &lane : m_lanes) {
        if (lane->isMade())
            range.expand(QCPRange(-lane->shiftUs, lane->durationUs() - lane->shiftUs));
    }
    return range.size() > 0 ? range : QCPRange(0, 1);
}

void TimelineStack::setRange(const QCPRange &wanted)
{
    if (std::exchange(m_isSettingRange, true))
        return;
    const QCPRange most = whole();
    m_shown = keptWithin(wanted, most.lower, most.upper, kSmallestSpanUs);
    for (const auto &lane : m_lanes)
        lane->setRange(m_shown);
    fitCounter();
    m_isSettingRange = false;
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineStack::fitRows() const
{
    for (const auto &lane : m_lanes)
        lane->fitRows();
}

void TimelineStack::shareHeight() const
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const auto &timeline = m_lanes[i]->what().timeline;
        const auto streams = timeline ? static_cast<double>(std::max<std::size_t>(1, timeline->streams)) : 1.0;
        m_plot->plotLayout()->setRowStretchFactor(static_cast<int>(i), std::clamp(0.5 + 0.13 * streams, 0.6, 1.6));
    }
    m_plot->plotLayout()->setRowStretchFactor(static_cast<int>(m_lanes.size()), 1);
}

void TimelineStack::reveal(const TimelineLane &lane, const QCPRange &own)
{
    const QCPRange shared(own.lower - lane.shiftUs, own.upper - lane.shiftUs);
    if (shared.upper <= m_shown.lower || shared.lower >= m_shown.upper)
        setRange({shared.center() - m_shown.size() / 2, shared.center() + m_shown.size() / 2});
}

void TimelineStack::shift(bool isAligned)
{
    const auto startOf = [](const TimelineLane &lane) -> std::optional<double> {
        const Selected selected = lane.what().selection ? lane.what().selection->current() : Selected{};
        return selected.stage ? lane.startOf(*selected.stage) : std::nullopt;
    };
    const auto firstStart = startOf(first());
    for (const auto &lane : m_lanes) {
        const auto start = isAligned ? startOf(*lane) : std::nullopt;
        lane->shiftUs = firstStart && start ? *start - *firstStart : 0;
    }
    m_counters->axis(QCPAxis::atBottom)
        ->setLabel(isAlone() ? QStringLiteral("time (µs)")
                             : QStringLiteral("time of %1 (µs)").arg(first().what().letter));
    setRange(m_shown);
}

QString TimelineStack::counterTitle(const CounterSeries &series)
{
    return QStringLiteral("%1 (%2)").arg(QString::fromStdString(series.name), QString::fromStdString(series.kind));
}

const CounterSeries *TimelineStack::counterOf(const TimelineLane &lane) const
{
    const CounterSeries *named = nullptr;
    for (std::size_t i = 0; lane.isMade() && i < lane.what().timeline->counters.size(); ++i) {
        const CounterSeries &series = lane.what().timeline->counters[i];
        if (counterTitle(series) == m_counterTitle)
            return &series;
        if (!named && QString::fromStdString(series.name) == m_counterName)
            named = &series;
    }
    return named;
}

const CounterSeries *TimelineStack::counter() const
{
    for (const auto &lane : m_lanes) {
        if (const CounterSeries *series = counterOf(*lane))
            return series;
    }
    return nullptr;
}

// The counter's axis covers the visible means; short peaks above it are cut off, but the tool tip has their values.
void TimelineStack::fitCounter() const
{
    const CounterSeries *series = counter();
    if (!series)
        return;
    const double step = m_shown.size() / kLevels;
    double highest = 0;
    for (const auto &lane : m_lanes) {
        for (int i = 0; i < kLevels && step > 0; ++i) {
            const double fromNs = (m_shown.lower + lane->shiftUs + i * step) * 1e3;
            highest = std::max(highest, lane->line().between(fromNs, fromNs + step * 1e3).mean);
        }
    }
    const double top = series->maximum > 0 ? std::min(series->maximum, highest * 1.2) : highest * 1.2;
    m_counters->axis(QCPAxis::atLeft)->setRange(0, std::max(top, 1e-9));
    m_counters->axis(QCPAxis::atRight)->setRange(0, series->maximum > 0 ? 100 * top / series->maximum : 100);
}

// An ellipsis where the label is longer than its axis.
bool TimelineStack::fitLabel() const
{
    QCPAxis *axis = m_counters->axis(QCPAxis::atLeft);
    const QString shown =
        QFontMetrics(axis->labelFont()).elidedText(m_counterLabel, Qt::ElideRight, m_counters->outerRect().height());
    if (axis->label() == shown)
        return false;
    axis->setLabel(shown);
    return true;
}

// Fits the label and the number of ticks on the counters' axes to their height.
void TimelineStack::fitTicks() const
{
    bool isChanged = fitLabel();
    for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atRight}) {
        const QCPAxis *axis = m_counters->axis(side);
        const int line = QFontMetrics(axis->tickLabelFont()).height();
        const int count = std::clamp(m_counters->height() / (2 * line), 1, kMostTicks);
        isChanged = isChanged || axis->ticker()->tickCount() != count;
        axis->ticker()->setTickCount(count);
    }
    if (isChanged)
        m_plot->replot(QCustomPlot::rpQueuedReplot);
}

// Devices with different maxima have no common scale in per cent.
bool TimelineStack::isOneMaximum(double maximum) const
{
    return std::ranges::all_of(m_lanes, [&](const auto &lane) {
        const CounterSeries *series = counterOf(*lane);
        return !series || series->maximum == maximum;
    });
}

void TimelineStack::chooseCounter(const QString &title, const QString &name)
{
    m_counterTitle = title;
    m_counterName = name;
    const CounterSeries *series = counter();
    m_counters->setVisible(series != nullptr);
    for (const auto &lane : m_lanes)
        lane->setCounter(counterOf(*lane));
    if (!series)
        return;
    const bool isPlain = series->name == series->unit || series->unit == "warps" || series->unit == "threads";
    m_counterLabel = QString::fromStdString(isPlain ? series->name : series->name + " (" + series->unit + ")");
    fitLabel();
    m_counters->axis(QCPAxis::atRight)
        ->setVisible(series->maximum > 0 && series->unit != "%" && isOneMaximum(series->maximum));
    fitCounter();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace stagecraft
