#include "widgets/timeline/timeline_stack.h"

#include "widgets/base/plot_style.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kSmallestSpanUs = 0.5; // zooming in stops here
constexpr int kLeastRow = 13;           // pixels of a stream
constexpr int kLeastCounter = 42;

} // namespace

TimelineStack::TimelineStack(QWidget *parent) : m_plot(new QCustomPlot(parent)), m_margins(new QCPMarginGroup(m_plot))
{
    m_plot->setAccessibleName(QStringLiteral("Kernels and counters"));
    m_plot->addLayer(QLatin1String(kBandsLayer), m_plot->layer(QStringLiteral("grid")), QCustomPlot::limBelow);
    m_plot->plotLayout()->clear();
    m_plot->plotLayout()->setRowSpacing(0);
    m_plot->setInteractions(QCP::iNone);
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered); // it changes alone while dragging
    m_overlay = new TimeOverlay(m_plot);
    QObject::connect(m_plot, &QCustomPlot::afterLayout, m_plot, [this] { fitTicks(); });
    setLaneCount(1);
}

void TimelineStack::setLaneCount(std::size_t count)
{
    if (m_lanes.size() == count)
        return;
    std::vector<CounterChoice> choices;
    for (const auto &counter : m_counters)
        choices.push_back(counter->choice());
    m_counters.clear();
    while (m_lanes.size() > count)
        m_lanes.pop_back();
    while (m_lanes.size() < count) {
        m_lanes.push_back(std::make_unique<TimelineLane>(m_plot));
        m_lanes.back()->rect()->setMarginGroup(QCP::msLeft | QCP::msRight, m_margins);
    }
    setCounters(choices);
}

void TimelineStack::setCounters(const std::vector<CounterChoice> &choices)
{
    const bool isSame =
        std::ranges::equal(choices, m_counters, {}, {}, [](const auto &each) { return each->choice(); });
    if (!isSame) {
        m_counters.clear();
        for (const CounterChoice &choice : choices)
            m_counters.push_back(std::make_unique<CounterPlot>(m_plot, m_margins, choice));
    }
    for (const auto &counter : m_counters)
        counter->setLanes(m_lanes);
    shareHeight();
    applyTheme(m_theme);
    nameTimeAxis();
    setRange(m_shown);
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
    return std::ranges::any_of(m_counters,
                               [&](const auto &counter) { return counter->rect()->rect().contains(at.toPoint()); });
}

void TimelineStack::applyTheme(const Theme &theme)
{
    m_theme = theme;
    stylePlot(*m_plot, theme);
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        m_lanes[i]->applyTheme(theme, i, isAlone());
    for (const auto &counter : m_counters)
        counter->applyTheme(theme, m_lanes);
    m_overlay->theme = theme;
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
    const QCPRange most = whole();
    m_shown = keptWithin(wanted, most.lower, most.upper, kSmallestSpanUs);
    for (const auto &lane : m_lanes)
        lane->setRange(m_shown);
    for (const auto &counter : m_counters)
        counter->setRange(m_shown);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineStack::zoom(double factor, double aboutUs)
{
    const double size = std::max(kSmallestSpanUs, m_shown.size() * factor);
    const double share = (aboutUs - m_shown.lower) / m_shown.size();
    setRange({aboutUs - share * size, aboutUs + (1 - share) * size});
}

void TimelineStack::pan(double byUs)
{
    setRange({m_shown.lower + byUs, m_shown.upper + byUs});
}

double TimelineStack::timeAt(double x) const
{
    return first().time()->pixelToCoord(x) - first().shiftUs;
}

void TimelineStack::fitRows() const
{
    for (const auto &lane : m_lanes)
        lane->fitRows();
}

void TimelineStack::shareHeight() const
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const TimelineLane &lane = *m_lanes[i];
        const auto streams =
            lane.isMade() ? static_cast<double>(std::max<std::size_t>(1, lane.timeline().streams)) : 1.0;
        m_plot->plotLayout()->setRowStretchFactor(static_cast<int>(i), std::clamp(0.5 + 0.13 * streams, 0.6, 1.6));
        lane.rect()->setMinimumSize(0, TimelineLane::heightFor(streams * kLeastRow));
    }
    for (std::size_t i = 0; i < m_counters.size(); ++i) {
        m_plot->plotLayout()->setRowStretchFactor(static_cast<int>(m_lanes.size() + i),
                                                  m_counters.size() == 1 ? 1 : 0.7);
        m_counters[i]->rect()->setMinimumSize(0, kLeastCounter);
    }
    m_plot->updateGeometry();
}

void TimelineStack::setHasRuler(bool hasRuler)
{
    m_hasRuler = hasRuler;
    nameTimeAxis();
}

QString TimelineStack::timeTitle() const
{
    return isAlone() ? QStringLiteral("time (µs)") : QStringLiteral("time of %1 (µs)").arg(first().what().letter);
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
    for (const auto &counter : m_counters)
        counter->setShifts(m_lanes);
    setRange(m_shown);
}

void TimelineStack::select(TimelineLane &lane, const Selected &selected)
{
    lane.select(selected);
    for (const auto &counter : m_counters)
        counter->select(first());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineStack::setOver(OverTime over)
{
    m_overlay->over = std::move(over);
    m_plot->layer(QStringLiteral("overlay"))->replot();
}

void TimelineStack::nameTimeAxis() const
{
    const auto set = [](QCPAxis *axis, bool isLowest, const QString &label) {
        axis->setTickLabels(isLowest);
        axis->setTicks(isLowest);
        axis->setLabel(isLowest ? label : QString());
    };
    const QString label = timeTitle();
    for (const auto &lane : m_lanes)
        set(lane->time(), !m_hasRuler && m_counters.empty() && lane == m_lanes.back(), label);
    for (const auto &counter : m_counters)
        set(counter->time(), !m_hasRuler && counter == m_counters.back(), label);
}

// Fits the number of ticks on the counters' axes to their height.
void TimelineStack::fitTicks() const
{
    bool isChanged = false;
    for (const auto &counter : m_counters)
        isChanged = counter->fitTicks() || isChanged;
    if (isChanged)
        m_plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace stagecraft
