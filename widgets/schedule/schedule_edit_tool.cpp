#include "widgets/schedule/schedule_edit_tool.h"

#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/canvas/drag.h"
#include "widgets/canvas/edge_scroller.h"
#include "widgets/schedule/choosing.h"
#include "widgets/schedule/edit_geometry.h"
#include "widgets/schedule/edit_move.h"
#include "widgets/schedule/edit_overlay.h"
#include "widgets/schedule/schedule_view.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

struct Press {
    Grabbed grabbed;
    QPointF at; // page coordinates
    Qt::KeyboardModifiers keys;
};

} // namespace

class ScheduleEditTool::Private {
public:
    Private(ScheduleEditTool *editTool, ScheduleView *of, Selection *shared)
        : q(editTool), view(of), selection(shared), scroller(of, [this] { dragged(); })
    {
    }

    ScheduleEditTool *q;
    ScheduleView *view;
    Selection *selection;
    EditContext context;
    ChosenParts chosen;
    std::optional<Press> press;
    Drag drag;
    std::optional<EditMove> move;
    std::optional<QRectF> band; // page coordinates
    QString said;
    EdgeScroller scroller;
    bool isChoosing = false;
    bool takesAlong = false; // Shift is held during a drag
    bool isHeld = false;     // the key that shows the original is held

    [[nodiscard]] const TimedSchedule &schedule() const { return *context.schedule; }
    [[nodiscard]] QPointF onPage(QPoint point) const { return point + view->offset(); }
    void update() const { view->viewport()->update(); }

    // False while the original is shown.
    [[nodiscard]] bool isUsable() const { return context.isValid() && view->schedule() == context.schedule; }

    void choose(ChosenParts next)
    {
        chosen = std::move(next);
        Selected primary;
        if (!chosen.operators.empty()) {
            primary.op = chosen.operators.back();
            primary.stage = stagesOf(ChosenParts{{*primary.op}, {}}, schedule()).front();
        } else if (!chosen.stages.empty()) {
            primary.stage = chosen.stages.back();
        }
        isChoosing = true;
        selection->set(primary);
        isChoosing = false;
        update();
        emit q->chosenChanged();
    }

    // The selection changed in another view or by this view's keys.
    void follow(const Selected &selected)
    {
        if (isChoosing)
            return;
        auto next = chosenElsewhere(chosen, selected);
        if (!next)
            return;
        chosen = std::move(*next);
        update();
        emit q->chosenChanged();
    }

    void chooseAt(const SchedulePage::Hit &hit, Qt::KeyboardModifiers keys)
    {
        if (ChosenParts next = chosenWith(chosen, view->page(), hit, keys); next != chosen)
            choose(std::move(next));
    }

    bool pressed(const QMouseEvent &event)
    {
        said.clear();
        if (!isUsable())
            return false;
        const QPointF at = onPage(event.position().toPoint());
        const SchedulePage &page = view->page();
        const auto hit = page.at(at);
        if (event.button() == Qt::RightButton) {
            if (hit && !isChosenAt(chosen, *hit))
                choose(partsAt(*hit));
            return false;
        }
        if (event.button() != Qt::LeftButton || page.foldAt(at))
            return false;
        drag.press(event.position());
        press = Press{grabbedAt(page, at), at, event.modifiers()};
        if (press->grabbed.what == Grab::Operator || press->grabbed.what == Grab::Stage)
            chooseAt(*hit, event.modifiers());
        return true;
    }

    bool released()
    {
        scroller.stop();
        const auto ended = std::exchange(press, std::nullopt);
        if (!ended)
            return false;
        if (move) {
            drop();
        } else if (band) {
            band.reset();
            update();
        } else {
            clicked(*ended);
        }
        return true;
    }

    void clicked(const Press &ended)
    {
        const bool isPlain = !(ended.keys & (Qt::ShiftModifier | Qt::ControlModifier));
        if (!ended.grabbed.hit) {
            if (isPlain)
                choose({});
        } else if (isPlain) {
            choose(partsAt(*ended.grabbed.hit));
        } else if (ended.grabbed.what == Grab::Lane || ended.grabbed.what == Grab::Empty) {
            chooseAt(*ended.grabbed.hit, ended.keys);
        }
    }

    bool moved(const QMouseEvent &event)
    {
        scroller.setPointer(event.position().toPoint());
        if (!press)
            return move.has_value();
        if (!move && !band && drag.move(event.position()))
            startDrag();
        takesAlong = event.modifiers() & Qt::ShiftModifier;
        dragged();
        return true;
    }

    void dragged()
    {
        if (move)
            aim(placeAt(view->page(), onPage(scroller.pointer())), takesAlong);
        else if (band)
            stretchBand();
    }

    void startDrag()
    {
        scroller.start();
        switch (press->grabbed.what) {
        case Grab::Empty: band = QRectF(press->at, QSizeF()); return;
        case Grab::Lane: choose({schedule().stages[press->grabbed.hit->stage].groups[press->grabbed.lane], {}}); break;
        case Grab::Operator:
        case Grab::Stage:
            if (!isChosenAt(chosen, *press->grabbed.hit)) // Ctrl+click removed it
                choose(partsAt(*press->grabbed.hit));
            break;
        }
        startMove(false);
    }

    void stretchBand()
    {
        band = QRectF(press->at, onPage(scroller.pointer())).normalized();
        ChosenParts next{operatorsIn(view->page(), *band), {}};
        if (next != chosen)
            choose(std::move(next));
        update();
    }

    void startMove(bool byKeys)
    {
        std::vector<OperatorId> operators = operatorsOf(chosen, schedule());
        if (operators.empty())
            return;
        move.emplace(context, std::move(operators), byKeys);
        if (byKeys)
            speak(QStringLiteral("Picked up. Up and down go from place to place, Enter drops, Escape puts back."));
        update();
    }

    void aim(const std::optional<EditPlace> &place, bool takeAlong)
    {
        if (move->aim(place, takeAlong))
            speak(move->text());
        const bool isLegal = move->plan() && move->plan()->edited;
        if (!move->isByKeys())
            view->viewport()->setCursor(isLegal ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
        update();
    }

    // Sends the edit; if it is impossible, says why and changes nothing.
    void drop()
    {
        const EditMove ended = *std::exchange(move, std::nullopt);
        view->viewport()->unsetCursor();
        update();
        if (!ended.plan() || ended.plan()->changesNothing)
            return;
        if (ended.plan()->edited)
            emit q->editRequested(ended.plan()->edit);
        else
            q->say(ended.text());
    }

    void cancel()
    {
        scroller.stop();
        if (!move && !band)
            return;
        press.reset();
        band.reset();
        if (std::exchange(move, std::nullopt))
            speak(QStringLiteral("Put back"));
        view->viewport()->unsetCursor();
        update();
    }

    void visit(int direction, bool takeAlong)
    {
        if (move->visit(direction, takeAlong))
            showPlace();
        else
            q->say(move->whyNoFurther(direction));
    }

    void showPlace() const
    {
        speak(move->text());
        view->reveal(placeRect(view->page(), schedule(), move->plan()->place, move->block())
                         .adjusted(0, -EdgeScroller::kEdge, 0, EdgeScroller::kEdge));
        update();
    }

    bool movingKey(const QKeyEvent &event)
    {
        const bool takeAlong = event.modifiers() & Qt::ShiftModifier;
        said.clear();
        switch (event.key()) {
        case Qt::Key_Escape: cancel(); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: dropByKey(); return true;
        case Qt::Key_Shift:
            takesAlong = true;
            if (move->plan())
                aim(move->plan()->place, true);
            return true;
        default: break;
        }
        if (!move->isByKeys())
            return true;
        if (event.key() == Qt::Key_Up || event.key() == Qt::Key_Down)
            visit(event.key() == Qt::Key_Down ? 1 : -1, takeAlong);
        const bool isDigit = event.key() >= Qt::Key_0 && event.key() <= Qt::Key_9;
        if (!isDigit)
            move->endNumber();
        else if (move->type(event.key() - Qt::Key_0))
            showPlace();
        return true;
    }

    // If the place is not allowed, the operators stay picked up.
    void dropByKey()
    {
        if (move->plan() && !move->plan()->edited) {
            q->say(move->text());
        } else {
            press.reset();
            drop();
        }
    }

    bool key(const QKeyEvent &event)
    {
        if (move)
            return movingKey(event);
        if (band && event.key() == Qt::Key_Escape) {
            cancel();
            return true;
        }
        if (!std::exchange(said, QString()).isEmpty()) {
            update();
            if (event.key() == Qt::Key_Escape)
                return true;
        }
        if (!isUsable())
            return false;
        switch (event.key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (chosen.isEmpty() || event.modifiers() & Qt::ControlModifier)
                return false;
            startMove(true);
            return true;
        case Qt::Key_Backslash:
            if (!event.isAutoRepeat())
                hold(true);
            return true;
        default: return event.modifiers() == Qt::ShiftModifier && extend(event.key());
        }
    }

    bool extend(int key)
    {
        const auto next = chosenBeyond(chosen, view->page(), key);
        if (next)
            choose(*next);
        return next.has_value();
    }

    void hold(bool held)
    {
        if (std::exchange(isHeld, held) != held)
            emit q->originalHeld(held);
    }

    void speak(const QString &text) const
    {
        view->setAccessibleDescription(text);
        QAccessibleEvent event(view, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    }

    // Page position of the message: at the pointer, else at the target or the chosen parts.
    [[nodiscard]] QPointF saidAt() const
    {
        if (move && !move->isByKeys())
            return onPage(scroller.pointer()) + QPointF(14, 18);
        if (move && move->plan())
            return placeRect(view->page(), schedule(), move->plan()->place, move->block()).bottomLeft() +
                   QPointF(60, 4);
        const std::vector<std::size_t> stages = stagesOf(chosen, schedule());
        if (stages.empty() || stages.front() >= view->page().rows.size())
            return view->offset() + QPointF(40, 40);
        return view->page().rows[stages.back()].rect.bottomLeft() + QPointF(60, 4);
    }

    void paint(QPainter &painter, const QRectF &visible) const
    {
        if (!isUsable())
            return;
        EditOverlay picture{*context.model->graph, schedule(), view->page(), themeFor(view->palette()), chosen};
        if (move) {
            picture.moving = &move->operators();
            picture.block = move->block();
            picture.places = &move->places();
            picture.plan = move->plan() ? &*move->plan() : nullptr;
        }
        picture.band = band;
        picture.said = q->saidText();
        picture.saidAt = picture.said.isEmpty() ? QPointF() : saidAt();
        paintEditOverlay(painter, picture, visible);
    }
};

ScheduleEditTool::ScheduleEditTool(ScheduleView *view, Selection *selection)
    : QObject(view), m_private(std::make_unique<Private>(this, view, selection))
{
    view->installEventFilter(this);
    view->viewport()->installEventFilter(this);
    view->setOverlay([this](QPainter &painter, const QRectF &visible) { m_private->paint(painter, visible); });
    connect(selection, &Selection::changed, this, [this](const Selected &selected) { m_private->follow(selected); });
}

ScheduleEditTool::~ScheduleEditTool() = default;

void ScheduleEditTool::setContext(EditContext context)
{
    Private &d = *m_private;
    const EditContext before = std::exchange(d.context, std::move(context));
    const bool isOfOneModel = before.isValid() && d.context.isValid() && before.model == d.context.model;
    if (isOfOneModel && before.schedule->stages == d.context.schedule->stages)
        return; // new measurements do not cancel a move
    cancel();
    d.said.clear();
    const ChosenParts kept = isOfOneModel ? chosenIn(*d.context.schedule, d.chosen, *before.schedule) : ChosenParts{};
    if (std::exchange(d.chosen, kept) != kept)
        emit chosenChanged();
}

const EditContext &ScheduleEditTool::context() const
{
    return m_private->context;
}

const ChosenParts &ScheduleEditTool::chosen() const
{
    return m_private->chosen;
}

void ScheduleEditTool::choose(ChosenParts chosen)
{
    if (m_private->context.isValid())
        m_private->choose(std::move(chosen));
}

void ScheduleEditTool::say(const QString &text)
{
    m_private->said = text;
    m_private->speak(text);
    m_private->update();
}

void ScheduleEditTool::refreshText()
{
    const Private &d = *m_private;
    if (!d.move || !d.move->plan())
        return;
    if (d.move->isByKeys())
        d.speak(d.move->text());
    d.update();
}

QString ScheduleEditTool::saidText() const
{
    const Private &d = *m_private;
    if (!d.said.isEmpty() || !d.move || !d.move->plan())
        return d.said;
    return d.move->text();
}

bool ScheduleEditTool::isMoving() const
{
    return m_private->move.has_value();
}

const std::vector<EditPlaceAnswer> &ScheduleEditTool::places() const
{
    static const std::vector<EditPlaceAnswer> kNone;
    return m_private->move ? m_private->move->places() : kNone;
}

void ScheduleEditTool::cancel()
{
    m_private->cancel();
}

bool ScheduleEditTool::eventFilter(QObject *watched, QEvent *event)
{
    Private &d = *m_private;
    const bool isOfView = watched == d.view;
    switch (event->type()) {
    case QEvent::MouseButtonPress: return !isOfView && d.pressed(*static_cast<QMouseEvent *>(event));
    case QEvent::MouseMove: return !isOfView && d.moved(*static_cast<QMouseEvent *>(event));
    case QEvent::MouseButtonRelease:
        return !isOfView && static_cast<QMouseEvent *>(event)->button() == Qt::LeftButton && d.released();
    case QEvent::MouseButtonDblClick: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const auto hit = d.isUsable() ? d.view->page().at(d.onPage(mouse->position().toPoint())) : std::nullopt;
        if (isOfView || mouse->button() != Qt::LeftButton || !hit || !hit->op)
            return false;
        choose({groupAt(*d.context.schedule, *hit), {}});
        return true;
    }
    case QEvent::KeyPress: return isOfView && d.key(*static_cast<QKeyEvent *>(event));
    case QEvent::KeyRelease: {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (isOfView && key->key() == Qt::Key_Backslash && !key->isAutoRepeat())
            d.hold(false);
        if (isOfView && key->key() == Qt::Key_Shift && d.move && d.move->plan() && !d.move->isByKeys())
            d.aim(d.move->plan()->place, d.takesAlong = false);
        return false;
    }
    case QEvent::ShortcutOverride: // during a move, its keys are not shortcuts
        if (isOfView && d.move)
            event->accept();
        return isOfView && d.move;
    case QEvent::FocusOut:
        if (isOfView) {
            cancel();
            d.hold(false);
        }
        return false;
    default: return false;
    }
}

} // namespace stagecraft
