// Mouse, wheel and keys of the timeline.

#include "widgets/base/find_bar.h"
#include "widgets/base/plot_style.h"
#include "widgets/timeline/timeline_view_state.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

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

void TimelineView::Private::createActions()
{
    const auto add = [this](const QString &text, const char *keys, auto act) {
        auto *action = new QAction(text, q);
        action->setShortcut(QKeySequence(QLatin1String(keys)));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut); // single letters work only in the timeline
        connect(action, &QAction::triggered, q, [this, act] {
            if (rows->isAnyMade())
                act();
        });
        q->addAction(action);
        actions << action;
    };
    const auto moved = [this](auto change) { return [this, change] { move(change); }; };
    add(QStringLiteral("Zoom &in"), "W", moved([this] { rows->zoom(kZoomByKey, zoomCentre()); }));
    add(QStringLiteral("Zoom &out"), "S", moved([this] { rows->zoom(1 / kZoomByKey, zoomCentre()); }));
    add(QStringLiteral("&Earlier"), "A", moved([this] { rows->pan(-kPanByKey * rows->shown().size()); }));
    add(QStringLiteral("&Later"), "D", moved([this] { rows->pan(kPanByKey * rows->shown().size()); }));
    add(QStringLiteral("&Zoom to the selection"), "Z", [this] { q->zoomToSelection(); });
    add(QStringLiteral("&Back to what was visible before"), "Backspace", [this] { q->back(); });
    add(QStringLiteral("&Next operator in time"), ".", [this] { step(1); });
    add(QStringLiteral("&Previous operator in time"), ",", [this] { step(-1); });
    add(QStringLiteral("&Mark the time at the pointer"), "M", [this] { mark(); });
    add(QStringLiteral("&Remove all marks"), "Shift+M",
        [this] { setOver([](OverTime &over) { over.marks.clear(); }); });
    add(QStringLiteral("&Find a kernel..."), "F", [this] { q->showFindBar(); });
}

void TimelineView::Private::connectMouse()
{
    QCustomPlot *plot = rows->plot();
    connect(plot, &QCustomPlot::mousePress, q, [this](QMouseEvent *event) { press(event); });
    connect(plot, &QCustomPlot::mouseMove, q, [this](QMouseEvent *event) { pointAt(event); });
    connect(plot, &QCustomPlot::mouseRelease, q, [this](QMouseEvent *event) { release(event); });
    connect(plot, &QCustomPlot::mouseWheel, q, [this](QWheelEvent *event) { wheel(event); });
    connect(plot, &QCustomPlot::mouseDoubleClick, q, [this](const QMouseEvent *event) {
        drag = Drag::None;
        if (event->button() == Qt::LeftButton)
            q->showAll();
    });
}

void TimelineView::Private::jump(const QCPRange &to)
{
    isMovingStepwise = false;
    const QCPRange from = rows->shown();
    rows->setRange(to);
    if (rows->shown() != from)
        before.push_back(from);
    if (before.size() > kMostRemembered)
        before.erase(before.begin());
}

void TimelineView::Private::move(const std::function<void()> &stepwise)
{
    if (!isMovingStepwise)
        before.push_back(rows->shown());
    isMovingStepwise = true;
    stepwise();
}

std::optional<double> TimelineView::Private::rangeEdgeAt(double x) const
{
    const auto &range = rows->over().range;
    if (!range)
        return std::nullopt;
    const double slack = kEdge * rows->shown().size() / std::max(1, rows->first().rect()->width());
    const double us = rows->timeAt(x);
    if (std::abs(us - range->lower) <= slack)
        return range->upper;
    return std::abs(us - range->upper) <= slack ? std::optional(range->lower) : std::nullopt;
}

void TimelineView::Private::press(QMouseEvent *event)
{
    if (!rows->isAnyMade())
        return;
    pressedAt = event->position();
    if (event->button() == Qt::MiddleButton) {
        drag = Drag::Pan;
        pannedFrom = rows->shown();
        scrolledFrom = scroll->verticalScrollBar()->value();
        pressedAt = event->globalPosition(); // the plot itself moves
        move([] {});
        rows->plot()->setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton) {
        drag = Drag::Pending;
        anchorUs = rangeEdgeAt(pressedAt.x()).value_or(rows->timeAt(pressedAt.x()));
    }
}

void TimelineView::Private::pointAt(QMouseEvent *event)
{
    const QPointF at = event->position();
    pointerUs = rows->timeAt(at.x());
    if (drag == Drag::Pending && (at - pressedAt).manhattanLength() >= kDragStart)
        drag = Drag::Range;
    switch (drag) {
    case Drag::Range:
        QToolTip::hideText();
        selectRange(QCPRange(std::min(anchorUs, *pointerUs), std::max(anchorUs, *pointerUs)));
        return;
    case Drag::Pan: {
        const double usPerPixel = pannedFrom.size() / std::max(1, rows->first().rect()->width());
        const QPointF moved = pressedAt - event->globalPosition();
        const double by = moved.x() * usPerPixel;
        rows->setRange({pannedFrom.lower + by, pannedFrom.upper + by});
        scroll->verticalScrollBar()->setValue(scrolledFrom + static_cast<int>(moved.y()));
        return;
    }
    case Drag::Pending: return;
    case Drag::None: break;
    }
    if (event->buttons() != Qt::NoButton || !rows->isAnyMade())
        return;
    rows->plot()->setCursor(rangeEdgeAt(at.x()) ? Qt::SplitHCursor : Qt::ArrowCursor);
    const QString text = tip(at);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event->globalPosition().toPoint(),
                           QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text), rows->plot());
}

void TimelineView::Private::release(QMouseEvent *event)
{
    const Drag was = std::exchange(drag, Drag::None);
    rows->plot()->setCursor(Qt::ArrowCursor);
    if (was == Drag::Pending && event->button() == Qt::LeftButton)
        click(event->position());
}

// A click among the counters selects a stage of the first timeline, whose bands are shown there.
void TimelineView::Private::click(QPointF at)
{
    TimelineLane *lane = rows->laneAt(at);
    const bool isBelow = !lane && rows->isAmongCounters(at);
    if (isBelow)
        lane = &rows->first();
    if (!lane || !lane->isMade() || !lane->what().selection)
        return;
    for (std::size_t i = 0; i < rows->lanes().size(); ++i) {
        if (rows->lanes()[i].get() == lane)
            activeLane = i;
    }
    const KernelSpan *kernel = isBelow ? nullptr : lane->kernels().kernelAt(at);
    if (kernel)
        lane->what().selection->set(
            {kernel->operators.empty() ? std::nullopt : std::optional(kernel->operators.front()), kernel->stage});
    else if (isBelow || lane->rect()->rect().contains(at.toPoint()))
        lane->what().selection->set({std::nullopt, lane->stageAt(rows->timeAt(at.x()) + lane->shiftUs)});
}

void TimelineView::Private::wheel(QWheelEvent *event)
{
    event->accept();
    if (!rows->isAnyMade())
        return;
    const QPoint angle = event->angleDelta();
    const bool isSideways = angle.x() != 0 || (event->modifiers() & Qt::ShiftModifier);
    const int turn = angle.x() != 0 ? angle.x() : angle.y();
    if (isSideways && !(event->modifiers() & Qt::ControlModifier))
        move([&] { rows->pan(-turn * kPanByWheel * rows->shown().size()); });
    else
        move([&] { rows->zoom(std::exp2(-turn * kZoomByWheel), rows->timeAt(event->position().x())); });
}

// The time at the pointer, else the middle.
double TimelineView::Private::zoomCentre() const
{
    const QCPRange &shown = rows->shown();
    return rows->plot()->underMouse() && pointerUs && shown.contains(*pointerUs) ? *pointerUs : shown.center();
}

// To the operator that begins next in time; without a selection, to the first that begins in what is visible.
void TimelineView::Private::step(int by)
{
    activeLane = std::min(activeLane, rows->lanes().size() - 1);
    const TimelineLane &lane = *rows->lanes()[activeLane];
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
    const std::int64_t fromNs = std::llround((range ? range->lower : rows->shown().lower + lane.shiftUs) * 1e3);
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
void TimelineView::Private::mark()
{
    const double us = zoomCentre();
    const double slack = kEdge * rows->shown().size() / std::max(1, rows->first().rect()->width());
    setOver([&](OverTime &over) {
        if (std::erase_if(over.marks, [&](double each) { return std::abs(each - us) <= slack; }) == 0)
            over.marks.insert(std::ranges::upper_bound(over.marks, us), us);
    });
}

void TimelineView::zoomToSelection()
{
    Private &d = *m_private;
    std::optional<QCPRange> wanted = d.rows->over().range;
    for (std::size_t i = 0; !wanted && i < d.rows->lanes().size(); ++i) {
        const TimelineLane &lane = *d.rows->lanes()[i];
        const auto own = lane.what().selection ? lane.rangeOf(lane.what().selection->current()) : std::nullopt;
        if (own)
            wanted = QCPRange(own->lower - lane.shiftUs - kAround * own->size(),
                              own->upper - lane.shiftUs + kAround * own->size());
    }
    if (wanted)
        d.jump(*wanted);
}

void TimelineView::back()
{
    Private &d = *m_private;
    d.isMovingStepwise = false;
    if (d.before.empty())
        return;
    d.rows->setRange(d.before.back());
    d.before.pop_back();
}

void TimelineView::showFindBar()
{
    if (!m_private->rows->isAnyMade())
        return;
    m_private->findBar->open();
}

bool TimelineView::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) { // Escape closes what is open here before it clears the selection
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape && (m_private->rows->over().range || m_private->findBar->isVisible())) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    if (event->key() == Qt::Key_Escape && d.findBar->isVisible())
        emit d.findBar->closed();
    else if (event->key() == Qt::Key_Escape && d.rows->over().range)
        d.selectRange(std::nullopt);
    else if (event->key() == Qt::Key_0 && d.rows->isAnyMade())
        showAll();
    else if ((event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) && d.rows->isAnyMade())
        d.move([&] { d.rows->pan((event->key() == Qt::Key_Left ? -kPanByKey : kPanByKey) * d.rows->shown().size()); });
    else if ((event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) && d.rows->isAnyMade())
        d.scrollBy(event->key() == Qt::Key_Up ? -kScrollByKey : kScrollByKey);
    else if ((event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown) && d.rows->isAnyMade())
        d.scrollBy((event->key() == Qt::Key_PageUp ? -1 : 1) * d.scroll->viewport()->height());
    else if ((event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal || event->key() == Qt::Key_Minus) &&
             d.rows->isAnyMade())
        d.move([&] { d.rows->zoom(event->key() == Qt::Key_Minus ? 1 / kZoomByKey : kZoomByKey, d.zoomCentre()); });
    else
        QWidget::keyPressEvent(event);
}

} // namespace stagecraft
