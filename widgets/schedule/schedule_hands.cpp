#include "widgets/schedule/schedule_hands.h"

#include "schedule/stage_groups.h"
#include "widgets/format.h"
#include "widgets/schedule/choosing.h"
#include "widgets/schedule/edit_geometry.h"
#include "widgets/schedule/edit_move.h"
#include "widgets/schedule/hands_painter.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/selection.h"
#include "widgets/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kScrollEdge = 28; // pixels from the edge of the view in which a drag scrolls it
constexpr int kScrollMs = 25;

enum class Grab { Operator, Lane, Stage, Empty };

struct Press {
    Grab grab = Grab::Empty;
    QPoint at;       // of the viewport
    QPointF pagePos; // of the page
    std::optional<ScheduleLayout::Hit> hit;
    std::size_t lane = 0;
    Qt::KeyboardModifiers keys;
};

} // namespace

class ScheduleHands::Private {
public:
    Private(ScheduleHands *hands, ScheduleView *of, Selection *shared) : q(hands), view(of), selection(shared)
    {
        scroller.setInterval(kScrollMs);
        QObject::connect(&scroller, &QTimer::timeout, q, [this] { scrollAtEdge(); });
    }

    ScheduleHands *q;
    ScheduleView *view;
    Selection *selection;
    EditContext context;
    ChosenParts chosen;
    std::optional<Press> press;
    std::optional<EditMove> move;
    std::optional<QRectF> band; // of the page
    QPoint pointer;             // of the viewport
    QString said;
    QTimer scroller;
    bool isChoosing = false;
    bool isHeld = false; // the key that shows the original

    [[nodiscard]] const Schedule &schedule() const { return *context.schedule; }
    [[nodiscard]] const Graph &graph() const { return *context.model->graph; }
    [[nodiscard]] QPointF onPage(QPoint point) const { return point + view->offset(); }
    void update() const { view->viewport()->update(); }

    [[nodiscard]] std::vector<OperatorId> groupOf(const ScheduleLayout::Hit &hit) const
    {
        const Stage &stage = schedule().stages[hit.stage];
        for (const auto &group : stage.groups) {
            if (hit.op && std::ranges::find(group, *hit.op) != group.end())
                return stage.strategy == Strategy::Merge ? operatorsOf(stage) : group;
        }
        return {};
    }

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

    // Chosen elsewhere: in another view, or by the keys of this one.
    void follow(const Selected &selected)
    {
        if (isChoosing)
            return;
        const bool isKept = selected.op ? chosen.has(*selected.op) : selected.stage && chosen.has(*selected.stage);
        if (isKept)
            return;
        chosen = {};
        if (selected.op)
            chosen.operators = {*selected.op};
        else if (selected.stage)
            chosen.stages = {*selected.stage};
        update();
        emit q->chosenChanged();
    }

    void chooseAt(const ScheduleLayout::Hit &hit, Qt::KeyboardModifiers keys)
    {
        if (ChosenParts next = chosenWith(chosen, view->page(), hit, keys); next != chosen)
            choose(std::move(next));
    }

    bool pressed(const QMouseEvent &event)
    {
        said.clear();
        if (!context.isValid())
            return false;
        const QPoint at = event.position().toPoint();
        const ScheduleLayout &page = view->page();
        const auto hit = page.at(onPage(at));
        if (event.button() == Qt::RightButton) {
            if (hit && !isChosenAt(chosen, *hit))
                choose(partsAt(*hit));
            return false;
        }
        if (event.button() != Qt::LeftButton || page.foldAt(onPage(at)))
            return false;
        press = Press{Grab::Empty, at, onPage(at), hit, 0, event.modifiers()};
        if (!hit)
            return true;
        const StageRow &row = page.rows[hit->stage];
        if (hit->op) {
            press->grab = Grab::Operator;
            chooseAt(*hit, event.modifiers());
        } else if (const auto lane = laneAt(page, row, onPage(at))) {
            press->grab = Grab::Lane;
            press->lane = *lane;
        } else if (row.gutter.contains(onPage(at))) {
            press->grab = Grab::Stage;
            chooseAt(*hit, event.modifiers());
        }
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
        if (!ended.hit) {
            if (isPlain)
                choose({});
        } else if (isPlain) {
            choose(partsAt(*ended.hit));
        } else if (ended.grab == Grab::Lane || ended.grab == Grab::Empty) {
            chooseAt(*ended.hit, ended.keys);
        }
    }

    bool moved(const QMouseEvent &event)
    {
        pointer = event.position().toPoint();
        if (!press)
            return move.has_value();
        const bool isFar = (pointer - press->at).manhattanLength() >= QApplication::startDragDistance();
        if (!move && !band && isFar)
            startDrag();
        if (move) {
            aim(placeAt(view->page(), onPage(pointer)), event.modifiers() & Qt::ShiftModifier);
        } else if (band) {
            stretchBand();
        }
        return true;
    }

    void startDrag()
    {
        scroller.start();
        switch (press->grab) {
        case Grab::Empty: band = QRectF(press->pagePos, QSizeF()); return;
        case Grab::Lane: choose({schedule().stages[press->hit->stage].groups[press->lane], {}}); break;
        case Grab::Operator:
        case Grab::Stage:
            if (!isChosenAt(chosen, *press->hit)) // Ctrl+click took it out
                choose(partsAt(*press->hit));
            break;
        }
        startMove(false);
    }

    void stretchBand()
    {
        band = QRectF(press->pagePos, onPage(pointer)).normalized();
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

    // The edit goes out; what cannot be is said, and stays as it is.
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

    void scrollAtEdge()
    {
        const int height = view->viewport()->height();
        const int beyond = pointer.y() < kScrollEdge            ? pointer.y() - kScrollEdge
                           : pointer.y() > height - kScrollEdge ? pointer.y() - height + kScrollEdge
                                                                : 0;
        if (beyond == 0)
            return;
        QScrollBar *bar = view->verticalScrollBar();
        const int before = bar->value();
        bar->setValue(before + beyond / 2);
        if (bar->value() == before)
            return;
        if (move)
            aim(placeAt(view->page(), onPage(pointer)), move->takesAlong());
        else if (band)
            stretchBand();
    }

    void visit(int direction, bool takeAlong)
    {
        if (move->visit(direction, takeAlong)) {
            speak(move->text());
            revealPlace();
        } else {
            said = move->whyNoFurther(direction);
            speak(said);
        }
        update();
    }

    void jump(int digit)
    {
        if (!move->type(digit))
            return;
        speak(move->text());
        revealPlace();
        update();
    }

    void revealPlace() const
    {
        if (move->plan())
            view->reveal(placeRect(view->page(), schedule(), move->plan()->place, move->block())
                             .adjusted(0, -kScrollEdge, 0, kScrollEdge));
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
            if (move->plan())
                aim(move->plan()->place, true);
            return true;
        default: break;
        }
        if (!move->isByKeys())
            return true;
        if (event.key() == Qt::Key_Up || event.key() == Qt::Key_Down)
            visit(event.key() == Qt::Key_Down ? 1 : -1, takeAlong);
        if (event.key() >= Qt::Key_0 && event.key() <= Qt::Key_9)
            jump(event.key() - Qt::Key_0);
        else
            move->endNumber();
        return true;
    }

    // Where it cannot be, it stays picked up.
    void dropByKey()
    {
        if (move->plan() && !move->plan()->edited) {
            said = move->text();
            speak(said);
            update();
            return;
        }
        press.reset();
        drop();
    }

    bool key(const QKeyEvent &event)
    {
        if (move)
            return movingKey(event);
        if (band && event.key() == Qt::Key_Escape) {
            cancel();
            return true;
        }
        if (!std::exchange(said, QString()).isEmpty())
            update();
        if (!context.isValid())
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
        auto next = chosenBeyond(chosen, view->page(), key);
        if (next)
            choose(std::move(*next));
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

    // Of what is said, on the page: at the pointer, else at the place or at what is chosen.
    [[nodiscard]] QPointF saidAt() const
    {
        if (move && !move->isByKeys())
            return onPage(pointer) + QPointF(14, 18);
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
        if (!context.isValid() || view->schedule() != context.schedule)
            return;
        HandsPicture picture{graph(), schedule(), view->page(), themeFor(view->palette()), chosen};
        if (move) {
            picture.moving = &move->operators();
            picture.block = move->block();
            picture.places = &move->places();
            picture.plan = move->plan() ? &*move->plan() : nullptr;
        }
        picture.band = band;
        picture.said = q->saidText();
        picture.saidAt = picture.said.isEmpty() ? QPointF() : saidAt();
        paintHands(painter, picture, visible);
    }
};

ScheduleHands::ScheduleHands(ScheduleView *view, Selection *selection)
    : QObject(view), m_private(std::make_unique<Private>(this, view, selection))
{
    view->installEventFilter(this);
    view->viewport()->installEventFilter(this);
    view->setOverlay([this](QPainter &painter, const QRectF &visible) { m_private->paint(painter, visible); });
    connect(selection, &Selection::changed, this, [this](const Selected &selected) { m_private->follow(selected); });
}

ScheduleHands::~ScheduleHands() = default;

void ScheduleHands::setContext(EditContext context)
{
    Private &d = *m_private;
    const bool isSame = d.context.schedule == context.schedule && d.context.model == context.model;
    const EditContext before = std::exchange(d.context, std::move(context));
    if (isSame)
        return;
    cancel();
    d.said.clear();
    const bool isOfOneModel = before.isValid() && d.context.isValid() && before.model == d.context.model;
    const ChosenParts kept = isOfOneModel ? chosenIn(*d.context.schedule, d.chosen, *before.schedule) : ChosenParts{};
    if (kept != d.chosen) {
        d.chosen = kept;
        emit chosenChanged();
    }
}

const EditContext &ScheduleHands::context() const
{
    return m_private->context;
}

const ChosenParts &ScheduleHands::chosen() const
{
    return m_private->chosen;
}

void ScheduleHands::choose(ChosenParts chosen)
{
    if (m_private->context.isValid())
        m_private->choose(std::move(chosen));
}

void ScheduleHands::say(const QString &text)
{
    m_private->said = text;
    m_private->speak(text);
    m_private->update();
}

QString ScheduleHands::saidText() const
{
    const Private &d = *m_private;
    if (!d.said.isEmpty() || !d.move || !d.move->plan())
        return d.said;
    return d.move->text();
}

bool ScheduleHands::isMoving() const
{
    return m_private->move.has_value();
}

const std::vector<EditPlaceAnswer> &ScheduleHands::places() const
{
    static const std::vector<EditPlaceAnswer> kNone;
    return m_private->move ? m_private->move->places() : kNone;
}

void ScheduleHands::cancel()
{
    m_private->cancel();
}

bool ScheduleHands::eventFilter(QObject *watched, QEvent *event)
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
        const auto hit = d.context.isValid() ? d.view->page().at(d.onPage(mouse->position().toPoint())) : std::nullopt;
        if (isOfView || mouse->button() != Qt::LeftButton || !hit || !hit->op)
            return false;
        choose({d.groupOf(*hit), {}});
        return true;
    }
    case QEvent::KeyPress: return isOfView && d.key(*static_cast<QKeyEvent *>(event));
    case QEvent::KeyRelease: {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (isOfView && key->key() == Qt::Key_Backslash && !key->isAutoRepeat())
            d.hold(false);
        if (isOfView && key->key() == Qt::Key_Shift && d.move && d.move->plan() && !d.move->isByKeys())
            d.aim(d.move->plan()->place, false);
        return false;
    }
    case QEvent::ShortcutOverride: // while something is moved, its keys are no shortcuts
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
