#include "widgets/timeline/timeline_navigation.h"

#include "widgets/timeline/timeline_words.h"

#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kZoomByKey = 0.7;
constexpr double kPanByKey = 0.2;           // of the visible time
constexpr double kZoomByWheel = 1.0 / 400;  // octaves per eighth of a degree
constexpr double kPanByWheel = 0.1 / 120;   // of the visible time per eighth of a degree
constexpr double kEdge = 4;                 // pixels within which an edge of the range is taken
constexpr double kScrollByKey = 30;         // pixels up or down
constexpr int kDragStart = 4;               // pixels from which a press is a drag
constexpr double kAround = 0.06;            // of what is zoomed to, left free at each side
constexpr std::size_t kMostRemembered = 50; // visible ranges for going back

} // namespace

TimelineNavigation::TimelineNavigation(TimelineStack *rows, QScrollArea *scroll, QWidget *view)
    : QObject(view), m_rows(rows), m_scroll(scroll), m_view(view)
{
    const auto moved = [this](auto change) { return [this, change] { move(change); }; };
    add(QStringLiteral("Zoom &in"), "W", moved([this] { m_rows->zoom(kZoomByKey, zoomCentre()); }));
    add(QStringLiteral("Zoom &out"), "S", moved([this] { m_rows->zoom(1 / kZoomByKey, zoomCentre()); }));
    add(QStringLiteral("&Earlier"), "A", moved([this] { m_rows->pan(-kPanByKey * m_rows->shown().size()); }));
    add(QStringLiteral("&Later"), "D", moved([this] { m_rows->pan(kPanByKey * m_rows->shown().size()); }));
    add(QStringLiteral("&Zoom to the selection"), "Z", [this] { zoomToSelection(); });
    add(QStringLiteral("&Back to what was visible before"), "Backspace", [this] { back(); });
    add(QStringLiteral("&Next operator in time"), ".", [this] { step(1); });
    add(QStringLiteral("&Previous operator in time"), ",", [this] { step(-1); });
    add(QStringLiteral("&Mark the time at the pointer"), "M", [this] { mark(); });
    add(QStringLiteral("&Remove all marks"), "Shift+M",
        [this] { setOver([](OverTime &over) { over.marks.clear(); }); });
    QCustomPlot *plot = m_rows->plot();
    connect(plot, &QCustomPlot::mousePress, this, [this](QMouseEvent *event) { press(event); });
    connect(plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) { pointAt(event); });
    connect(plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent *event) { release(event); });
    connect(plot, &QCustomPlot::mouseWheel, this, [this](QWheelEvent *event) { wheel(event); });
    connect(plot, &QCustomPlot::mouseDoubleClick, this, [this](const QMouseEvent *event) {
        m_drag = Drag::None;
        if (event->button() == Qt::LeftButton)
            jump(m_rows->whole());
    });
}

void TimelineNavigation::add(const QString &text, const char *keys, const std::function<void()> &act)
{
    auto *action = new QAction(text, m_view);
    action->setShortcut(QKeySequence(QLatin1String(keys)));
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut); // single letters work only in the timeline
    connect(action, &QAction::triggered, this, [this, act] {
        if (m_rows->isAnyMade())
            act();
    });
    m_view->addAction(action);
    m_actions << action;
}

void TimelineNavigation::jump(const QCPRange &to)
{
    m_isMovingStepwise = false;
    const QCPRange from = m_rows->shown();
    m_rows->setRange(to);
    if (m_rows->shown() != from)
        m_before.push_back(from);
    if (m_before.size() > kMostRemembered)
        m_before.erase(m_before.begin());
}

void TimelineNavigation::move(const std::function<void()> &stepwise)
{
    if (!m_isMovingStepwise)
        m_before.push_back(m_rows->shown());
    m_isMovingStepwise = true;
    stepwise();
}

std::optional<double> TimelineNavigation::rangeEdgeAt(double x) const
{
    const auto &range = m_rows->over().range;
    if (!range)
        return std::nullopt;
    const double slack = kEdge * m_rows->shown().size() / std::max(1, m_rows->first().rect()->width());
    const double us = m_rows->timeAt(x);
    if (std::abs(us - range->lower) <= slack)
        return range->upper;
    return std::abs(us - range->upper) <= slack ? std::optional(range->lower) : std::nullopt;
}

void TimelineNavigation::press(QMouseEvent *event)
{
    if (!m_rows->isAnyMade())
        return;
    m_pressedAt = event->position();
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
        m_pannedFrom = m_rows->shown();
        m_scrolledFrom = m_scroll->verticalScrollBar()->value();
        m_pressedAt = event->globalPosition(); // the plot itself moves
        move([] {});
        m_rows->plot()->setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton) {
        m_drag = Drag::Pending;
        m_anchorUs = rangeEdgeAt(m_pressedAt.x()).value_or(m_rows->timeAt(m_pressedAt.x()));
    }
}

void TimelineNavigation::pointAt(QMouseEvent *event)
{
    const QPointF at = event->position();
    m_pointerUs = m_rows->timeAt(at.x());
    if (m_drag == Drag::Pending && (at - m_pressedAt).manhattanLength() >= kDragStart)
        m_drag = Drag::Range;
    switch (m_drag) {
    case Drag::Range:
        QToolTip::hideText();
        selectRange(QCPRange(std::min(m_anchorUs, *m_pointerUs), std::max(m_anchorUs, *m_pointerUs)));
        return;
    case Drag::Pan: {
        const double usPerPixel = m_pannedFrom.size() / std::max(1, m_rows->first().rect()->width());
        const QPointF moved = m_pressedAt - event->globalPosition();
        const double by = moved.x() * usPerPixel;
        m_rows->setRange({m_pannedFrom.lower + by, m_pannedFrom.upper + by});
        m_scroll->verticalScrollBar()->setValue(m_scrolledFrom + static_cast<int>(moved.y()));
        return;
    }
    case Drag::Pending: return;
    case Drag::None: break;
    }
    if (event->buttons() != Qt::NoButton || !m_rows->isAnyMade())
        return;
    m_rows->plot()->setCursor(rangeEdgeAt(at.x()) ? Qt::SplitHCursor : Qt::ArrowCursor);
    const QString text = timelineTip(*m_rows, at);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event->globalPosition().toPoint(),
                           QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text), m_rows->plot());
}

void TimelineNavigation::release(QMouseEvent *event)
{
    const Drag was = std::exchange(m_drag, Drag::None);
    m_rows->plot()->setCursor(Qt::ArrowCursor);
    if (was == Drag::Pending && event->button() == Qt::LeftButton)
        click(event->position());
}

// A click among the counters selects a stage of the first timeline, whose bands are shown there.
void TimelineNavigation::click(QPointF at)
{
    TimelineLane *lane = m_rows->laneAt(at);
    const bool isBelow = !lane && m_rows->isAmongCounters(at);
    if (isBelow)
        lane = &m_rows->first();
    if (!lane || !lane->isMade() || !lane->what().selection)
        return;
    for (std::size_t i = 0; i < m_rows->lanes().size(); ++i) {
        if (m_rows->lanes()[i].get() == lane)
            m_activeLane = i;
    }
    const KernelSpan *kernel = isBelow ? nullptr : lane->kernels().kernelAt(at);
    if (kernel)
        lane->what().selection->set(
            {kernel->operators.empty() ? std::nullopt : std::optional(kernel->operators.front()),
             kernel->stageOrNone()});
    else if (isBelow || lane->rect()->rect().contains(at.toPoint()))
        lane->what().selection->set({std::nullopt, lane->stageAt(m_rows->timeAt(at.x()) + lane->shiftUs)});
}

void TimelineNavigation::wheel(QWheelEvent *event)
{
    event->accept();
    if (!m_rows->isAnyMade())
        return;
    const QPoint angle = event->angleDelta();
    const bool isSideways = angle.x() != 0 || (event->modifiers() & Qt::ShiftModifier);
    const int turn = angle.x() != 0 ? angle.x() : angle.y();
    if (isSideways && !(event->modifiers() & Qt::ControlModifier))
        move([&] { m_rows->pan(-turn * kPanByWheel * m_rows->shown().size()); });
    else
        move([&] { m_rows->zoom(std::exp2(-turn * kZoomByWheel), m_rows->timeAt(event->position().x())); });
}

// The time at the pointer, else the middle.
double TimelineNavigation::zoomCentre() const
{
    const QCPRange &shown = m_rows->shown();
    return m_rows->plot()->underMouse() && m_pointerUs && shown.contains(*m_pointerUs) ? *m_pointerUs : shown.center();
}

// To the operator that begins next in time; without a selection, to the first that begins in what is visible.
void TimelineNavigation::step(int by)
{
    m_activeLane = std::min(m_activeLane, m_rows->lanes().size() - 1);
    const TimelineLane &lane = *m_rows->lanes()[m_activeLane];
    if (!lane.isMade() || !lane.what().selection)
        return;
    const std::vector<KernelSpan> &kernels = lane.timeline().kernels;
    const Selected selected = lane.what().selection->current();
    const auto isSelected = [&](const KernelSpan &kernel) {
        return selected.op && std::ranges::find(kernel.operators, *selected.op) != kernel.operators.end();
    };
    const auto begins = [&](const KernelSpan &kernel) { // its operator
        const auto range = kernel.operators.empty() ? std::nullopt : lane.index()->rangeOf(kernel.operators.front());
        return range && range->fromNs == kernel.startNs;
    };
    const auto range = lane.rangeOf(selected);
    const std::int64_t fromNs = std::llround((range ? range->lower : m_rows->shown().lower + lane.shiftUs) * 1e3);
    auto at = std::ranges::lower_bound(kernels, fromNs, {}, &KernelSpan::startNs) - kernels.begin();
    const auto count = static_cast<std::ptrdiff_t>(kernels.size());
    const auto kernelAt = [&](std::ptrdiff_t i) -> const KernelSpan & { return kernels[static_cast<std::size_t>(i)]; };
    if (selected.op) {
        while (at < count && !isSelected(kernelAt(at)))
            ++at;
    }
    if (selected.op || by < 0)
        at += by;
    while (at >= 0 && at < count && (isSelected(kernelAt(at)) || !begins(kernelAt(at))))
        at += by;
    if (at >= 0 && at < count)
        lane.what().selection->set({kernelAt(at).operators.front(), kernelAt(at).stage});
}

// Sets a mark, or takes away the one that is there.
void TimelineNavigation::mark()
{
    const double us = zoomCentre();
    const double slack = kEdge * m_rows->shown().size() / std::max(1, m_rows->first().rect()->width());
    setOver([&](OverTime &over) {
        if (std::erase_if(over.marks, [&](double each) { return std::abs(each - us) <= slack; }) == 0)
            over.marks.insert(std::ranges::upper_bound(over.marks, us), us);
    });
}

void TimelineNavigation::zoomToSelection()
{
    std::optional<QCPRange> wanted = m_rows->over().range;
    for (std::size_t i = 0; !wanted && i < m_rows->lanes().size(); ++i) {
        const TimelineLane &lane = *m_rows->lanes()[i];
        const auto own = lane.what().selection ? lane.rangeOf(lane.what().selection->current()) : std::nullopt;
        if (own)
            wanted = QCPRange(own->lower - lane.shiftUs - kAround * own->size(),
                              own->upper - lane.shiftUs + kAround * own->size());
    }
    if (wanted)
        jump(*wanted);
}

void TimelineNavigation::back()
{
    m_isMovingStepwise = false;
    if (m_before.empty())
        return;
    m_rows->setRange(m_before.back());
    m_before.pop_back();
}

bool TimelineNavigation::pressKey(const QKeyEvent &event)
{
    if (!m_rows->isAnyMade())
        return false;
    const int key = event.key();
    if (key == Qt::Key_0)
        jump(m_rows->whole());
    else if (key == Qt::Key_Left || key == Qt::Key_Right)
        move([&] { m_rows->pan((key == Qt::Key_Left ? -kPanByKey : kPanByKey) * m_rows->shown().size()); });
    else if (key == Qt::Key_Up || key == Qt::Key_Down)
        scrollBy(key == Qt::Key_Up ? -kScrollByKey : kScrollByKey);
    else if (key == Qt::Key_PageUp || key == Qt::Key_PageDown)
        scrollBy((key == Qt::Key_PageUp ? -1 : 1) * m_scroll->viewport()->height());
    else if (key == Qt::Key_Plus || key == Qt::Key_Equal || key == Qt::Key_Minus)
        move([&] { m_rows->zoom(key == Qt::Key_Minus ? 1 / kZoomByKey : kZoomByKey, zoomCentre()); });
    else
        return false;
    return true;
}

// Only where it is out of sight.
void TimelineNavigation::showKernel(const TimelineLane &lane, const KernelSpan &kernel)
{
    const QRectF place = lane.kernels().rectOf(kernel);
    const QScrollBar *bar = m_scroll->verticalScrollBar();
    if (place.top() < bar->value() || place.bottom() > bar->value() + m_scroll->viewport()->height())
        m_scroll->ensureVisible(0, static_cast<int>(place.center().y()), 0, static_cast<int>(place.height()) + 20);
}

void TimelineNavigation::scrollBy(double pixels)
{
    QScrollBar *bar = m_scroll->verticalScrollBar();
    bar->setValue(bar->value() + static_cast<int>(pixels));
}

void TimelineNavigation::setOver(const std::function<void(OverTime &)> &change)
{
    OverTime over = m_rows->over();
    change(over);
    m_rows->setOver(std::move(over));
}

void TimelineNavigation::selectRange(std::optional<QCPRange> range)
{
    const QCPRange whole = m_rows->whole();
    if (range)
        range = range->bounded(whole.lower, whole.upper);
    if (range && range->size() <= 0)
        range.reset();
    setOver([&](OverTime &over) { over.range = range; });
    emit rangeChanged();
}

} // namespace stagecraft
