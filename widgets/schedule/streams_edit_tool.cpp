#include "widgets/schedule/streams_edit_tool.h"

#include "widgets/base/selection.h"
#include "widgets/base/shown_name.h"
#include "widgets/base/theme.h"
#include "widgets/canvas/drag.h"
#include "widgets/canvas/edge_scroller.h"
#include "widgets/schedule/edit_overlay.h"
#include "widgets/schedule/planned_move.h"
#include "widgets/schedule/streams_view.h"

#include <QAccessible>
#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNewStream = 30; // pixels at the right edge, where a launch is dropped on a new stream

enum class Pairing { Event, Swap };

} // namespace

class StreamsEditTool::Private {
public:
    Private(StreamsEditTool *editTool, StreamsView *of, Selection *shared)
        : q(editTool), view(of), selection(shared), scroller(of, [this] { dragged(); })
    {
    }

    StreamsEditTool *q;
    StreamsView *view;
    Selection *selection;
    std::shared_ptr<const Model> model;
    std::shared_ptr<const TimedSchedule> schedule;
    QList<QAction *> actions;
    Drag drag;
    EdgeScroller scroller;
    std::optional<std::size_t> held; // the launch under the button
    std::optional<MoveLaunches> move;
    QString moveText;
    bool isMoveLegal = false;
    std::optional<std::pair<Pairing, std::size_t>> pairing; // and the launch that it began at
    QString said;

    [[nodiscard]] const Streams &streams() const { return *schedule->streams; }
    [[nodiscard]] bool isUsable() const { return model && schedule; }
    [[nodiscard]] QPointF onPage(QPoint point) const { return point + view->offset(); }
    [[nodiscard]] OperatorId firstOf(std::size_t launch) const { return streams().launches[launch].operators.front(); }
    [[nodiscard]] QString nameOf(std::size_t launch) const { return shownName(model->graph->op(firstOf(launch)).name); }
    [[nodiscard]] std::optional<std::size_t> selected() const
    {
        return isUsable() ? view->selectedLaunch() : std::nullopt;
    }
    void update() const { view->viewport()->update(); }

    void speak(const QString &text) const
    {
        QAccessibleEvent event(view, QAccessible::Alert);
        view->setAccessibleDescription(text);
        QAccessible::updateAccessibility(&event);
    }

    // Refused or without effect: says so.
    void request(const Edit &edit)
    {
        const auto edited = applyEdit(*model->graph, model->blocks, *schedule, edit);
        if (!edited)
            q->say(reasonText(edited.error()));
        else if (edited->streams != schedule->streams)
            emit q->editRequested(edit);
    }

    // Drags.

    bool pressed(const QMouseEvent &event)
    {
        said.clear();
        const auto launch = view->page().launchAt(onPage(event.position().toPoint()));
        if (!isUsable() || event.button() != Qt::LeftButton || !launch)
            return false;
        if (pairing) {
            pairWith(*launch);
            return true;
        }
        held = launch;
        drag.press(event.position());
        selection->set({firstOf(*launch), std::nullopt});
        return true;
    }

    bool moved(const QMouseEvent &event)
    {
        scroller.setPointer(event.position().toPoint());
        if (!held)
            return false;
        if (!move && drag.move(event.position())) {
            move.emplace();
            scroller.start();
        }
        dragged();
        return true;
    }

    void dragged()
    {
        if (!move)
            return;
        move = placeUnder(onPage(scroller.pointer()));
        const auto edited = applyEdit(*model->graph, model->blocks, *schedule, *move);
        isMoveLegal = edited.has_value();
        const bool isElsewhere = move->stream || move->before;
        const QString text = !isElsewhere ? QString()
                             : edited     ? QString::fromStdString(edited->words)
                                          : reasonText(edited.error());
        if (std::exchange(moveText, text) != text && !text.isEmpty())
            speak(text);
        view->viewport()->setCursor(isMoveLegal ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
        update();
    }

    [[nodiscard]] bool isOnNewStream(QPointF at) const
    {
        return at.x() > view->offset().x() + view->viewport()->width() - kNewStream ||
               at.x() > view->page().lanes.back().rect.right();
    }

    [[nodiscard]] MoveLaunches placeUnder(QPointF at) const
    {
        const StreamsPage &page = view->page();
        MoveLaunches wanted{streams().launches[*held].operators, std::nullopt, std::nullopt};
        std::uint32_t lane = streams().count;
        for (std::uint32_t i = 0; i < streams().count && !isOnNewStream(at); ++i) {
            lane = i;
            if (at.x() < page.lanes[i].rect.right())
                break;
        }
        if (lane != streams().launches[*held].stream)
            wanted.stream = lane;
        const auto next =
            std::ranges::find_if(page.boxes, [&](const QRectF &box) { return box.center().y() > at.y(); });
        const auto before = static_cast<std::size_t>(next - page.boxes.begin());
        const QRectF &own = page.boxes[*held];
        const bool isInOwnRow = at.y() >= own.top() - own.height() / 2 && at.y() <= own.bottom() + own.height() / 2;
        if (!isInOwnRow)
            wanted.before = before;
        return wanted;
    }

    bool released()
    {
        scroller.stop();
        if (!std::exchange(held, std::nullopt))
            return false;
        drag.release();
        view->viewport()->unsetCursor();
        const auto wanted = std::exchange(move, std::nullopt);
        moveText.clear();
        update();
        if (wanted && (wanted->stream || wanted->before))
            request(*wanted);
        return true;
    }

    void cancel()
    {
        scroller.stop();
        held.reset();
        pairing.reset();
        moveText.clear();
        view->viewport()->unsetCursor();
        if (std::exchange(move, std::nullopt))
            speak(QStringLiteral("Put back"));
        update();
    }

    // Two launches: an event or a swap.

    void begin(Pairing what)
    {
        const auto launch = selected();
        if (!launch) {
            q->say(QStringLiteral("Choose a launch first"));
            return;
        }
        said.clear();
        pairing.emplace(what, *launch);
        speak(q->saidText());
        update();
    }

    [[nodiscard]] QString pairingText() const
    {
        const QString name = nameOf(pairing->second);
        return (pairing->first == Pairing::Event
                    ? QStringLiteral("Event between %1 and: Enter or a click names the other "
                                     "launch, Escape ends. One that is there is dropped.")
                    : QStringLiteral("Swap %1 with: Enter or a click names the other launch, "
                                     "Escape ends."))
            .arg(name);
    }

    // Events go from the one that is launched first.
    void pairWith(std::size_t other)
    {
        const auto [what, began] = *std::exchange(pairing, std::nullopt);
        update();
        if (other == began) {
            q->say(QStringLiteral("That is the same launch"));
            return;
        }
        const OperatorId first = firstOf(std::min(began, other));
        const OperatorId second = firstOf(std::max(began, other));
        if (what == Pairing::Swap) {
            request(SwapLaunches{first, second});
            return;
        }
        const auto &waits = streams().launches[std::max(began, other)].waits;
        if (std::ranges::binary_search(waits, static_cast<std::uint32_t>(std::min(began, other))))
            request(DropEvent{first, second});
        else
            request(AddEvent{first, second});
    }

    // Keys.

    void toNeighbour(int direction)
    {
        const auto launch = selected();
        if (!launch)
            return;
        const auto stream = static_cast<std::int64_t>(streams().launches[*launch].stream) + direction;
        if (stream < 0)
            q->say(QStringLiteral("It is on the first stream"));
        else
            request(MoveLaunches{streams().launches[*launch].operators, static_cast<std::uint32_t>(stream), {}});
    }

    void inOrder(int direction)
    {
        const auto launch = selected();
        if (!launch)
            return;
        if (direction < 0 ? *launch == 0 : *launch + 1 == streams().launches.size())
            q->say(direction < 0 ? QStringLiteral("It is launched first") : QStringLiteral("It is launched last"));
        else
            request(MoveLaunches{streams().launches[*launch].operators, {}, direction < 0 ? *launch - 1 : *launch + 2});
    }

    bool key(const QKeyEvent &event)
    {
        const bool wasSaid = !std::exchange(said, QString()).isEmpty();
        if (wasSaid)
            update();
        if (event.key() == Qt::Key_Escape) {
            if (!held && !pairing)
                return wasSaid;
            cancel();
            return true;
        }
        if (pairing && (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter)) {
            if (const auto launch = selected())
                pairWith(*launch);
            return true;
        }
        return false;
    }

    void paint(QPainter &painter, const QRectF &visible) const
    {
        if (!isUsable())
            return;
        const Theme theme = themeFor(view->palette());
        const StreamsPage &page = view->page();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(view->font());
        if (pairing) {
            painter.setPen(QPen(theme.accent, 2.5, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(page.boxes[pairing->second].adjusted(-3, -3, 3, 3), 5, 5);
        }
        if (move && held)
            paintMove(painter, visible, theme);
        if (const QString text = q->saidText(); !text.isEmpty())
            paintNote(painter, theme, text, saidAt(), visible, move ? !isMoveLegal : !pairing);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }

    void paintMove(QPainter &painter, const QRectF &visible, const Theme &theme) const
    {
        const StreamsPage &page = view->page();
        const QColor colour = isMoveLegal ? theme.accent : theme.slower;
        const std::uint32_t stream = move->stream.value_or(streams().launches[*held].stream);
        QRectF lane(visible.right() - kNewStream, visible.top(), kNewStream, visible.height());
        painter.setBrush(withAlpha(colour, stream < streams().count ? 0 : 0.25));
        painter.setPen(QPen(withAlpha(colour, 0.8), 1, Qt::DashLine));
        painter.drawRect(lane.adjusted(2, 2, -2, -2)); // always: it says where a new stream is
        painter.setPen(theme.text);
        painter.drawText(lane, Qt::AlignCenter, QStringLiteral("+"));
        if (stream < streams().count) {
            lane = page.lanes[stream].rect;
            painter.fillRect(lane, withAlpha(colour, 0.14));
        }
        const QRectF &own = page.boxes[*held];
        if (move->before) {
            const double y = *move->before < page.boxes.size() ? page.boxes[*move->before].top() - own.height() / 5
                                                               : page.boxes.back().bottom() + own.height() / 5;
            painter.setPen(QPen(colour, 3));
            painter.drawLine(QPointF(lane.left() + 4, y), QPointF(lane.right() - 4, y));
        } else if (move->stream) {
            painter.setPen(QPen(colour, 2, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(lane.left() + 6, own.top(), lane.width() - 12, own.height()), 4, 4);
        }
        painter.setPen(QPen(colour, 3));
        painter.setBrush(withAlpha(theme.canvas, 0.5));
        painter.drawRoundedRect(own, 4, 4);
    }

    static QColor withAlpha(QColor colour, double alpha)
    {
        colour.setAlphaF(static_cast<float>(alpha));
        return colour;
    }

    [[nodiscard]] QPointF saidAt() const
    {
        if (move)
            return onPage(scroller.pointer()) + QPointF(14, 18);
        const auto launch = pairing ? std::optional(pairing->second) : selected();
        return launch ? view->page().boxes[*launch].bottomLeft() + QPointF(10, 6) : view->offset() + QPointF(40, 40);
    }
};

StreamsEditTool::StreamsEditTool(StreamsView *view, Selection *selection)
    : QObject(view), m_private(std::make_unique<Private>(this, view, selection))
{
    view->installEventFilter(this);
    view->viewport()->installEventFilter(this);
    view->setOverlay([this](QPainter &painter, const QRectF &visible) { m_private->paint(painter, visible); });
    const auto add = [&](const char *text, const char *keys, const std::function<void()> &act) {
        auto *action = new QAction(QString::fromUtf8(text), this);
        action->setShortcut(QKeySequence(QLatin1String(keys)));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, act);
        m_private->actions << action;
        view->addAction(action);
    };
    Private &d = *m_private;
    add("Move to the stream at the left", "Ctrl+Left", [&d] { d.toNeighbour(-1); });
    add("Move to the stream at the right, or a new one", "Ctrl+Right", [&d] { d.toNeighbour(1); });
    add("Launch before its neighbour", "Ctrl+Up", [&d] { d.inOrder(-1); });
    add("Launch behind its neighbour", "Ctrl+Down", [&d] { d.inOrder(1); });
    add("Swap with...", "X", [&d] { d.begin(Pairing::Swap); });
    add("Add or drop an event...", "E", [&d] { d.begin(Pairing::Event); });
    setContext(nullptr, nullptr);
}

StreamsEditTool::~StreamsEditTool() = default;

void StreamsEditTool::setContext(std::shared_ptr<const Model> model, std::shared_ptr<const TimedSchedule> schedule)
{
    Private &d = *m_private;
    const bool isOther = !schedule || !d.schedule || schedule->streams != d.schedule->streams;
    d.model = std::move(model);
    d.schedule = std::move(schedule);
    for (QAction *action : d.actions)
        action->setEnabled(d.isUsable());
    if (!isOther)
        return; // new measurements do not cancel a drag
    d.said.clear();
    d.cancel();
}

std::optional<std::size_t> StreamsEditTool::launch() const
{
    return m_private->selected();
}

const QList<QAction *> &StreamsEditTool::actions() const
{
    return m_private->actions;
}

void StreamsEditTool::say(const QString &text)
{
    m_private->said = text;
    m_private->speak(text);
    m_private->update();
}

QString StreamsEditTool::saidText() const
{
    if (!m_private->moveText.isEmpty())
        return m_private->moveText;
    return m_private->said.isEmpty() && m_private->pairing ? m_private->pairingText() : m_private->said;
}

bool StreamsEditTool::eventFilter(QObject *watched, QEvent *event)
{
    Private &d = *m_private;
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return watched == d.view->viewport() && d.pressed(*static_cast<QMouseEvent *>(event));
    case QEvent::MouseMove: return watched == d.view->viewport() && d.moved(*static_cast<QMouseEvent *>(event));
    case QEvent::MouseButtonRelease: return watched == d.view->viewport() && d.released();
    case QEvent::KeyPress: return watched == d.view && d.key(*static_cast<QKeyEvent *>(event));
    default: return false;
    }
}

} // namespace stagecraft
