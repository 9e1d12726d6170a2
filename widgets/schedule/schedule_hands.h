#pragma once

// Hands on a schedule in its view: choosing operators and stages, several at once, and moving them by mouse or keys. It
// changes nothing itself: what a person wants goes out as an Edit. Lives on the UI thread, for as long as its view.
//
// Mouse: click chooses, Ctrl+click one more or less, Shift+click all up to it, a drag from empty space what it touches,
// double click a group. Dragging an operator, what lies between the boxes of a lane, or the number of a stage moves
// what is chosen; Shift takes companions along, Escape puts it back. The middle button pans. Keys: Shift with arrows
// chooses several. Enter picks up; then up and down go from legal place to legal place (Shift: with companions), digits
// to a stage, Enter drops, Escape puts back. While \ is held the original is shown.

#include "schedule/edit.h"
#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/planned_move.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

class QKeyEvent;
class QMouseEvent;

namespace stagecraft {

class ScheduleView;
class Selection;

class ScheduleHands : public QObject {
    Q_OBJECT

public:
    ScheduleHands(ScheduleView *view, Selection *selection);
    ~ScheduleHands() override;

    // What is chosen stays, as far as it is there.
    void setContext(EditContext context);
    [[nodiscard]] const EditContext &context() const;

    [[nodiscard]] const ChosenParts &chosen() const;
    void choose(ChosenParts chosen);

    // Beside what is chosen, until the next key or click, and spoken.
    void say(const QString &text);
    [[nodiscard]] QString saidText() const; // that, or what is said of the move under way

    [[nodiscard]] bool isMoving() const;
    [[nodiscard]] const std::vector<EditPlaceAnswer> &places() const; // of the move under way
    void cancel();                                                    // the move

signals:
    void editRequested(const stagecraft::Edit &edit);
    void chosenChanged();
    void originalHeld(bool held);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
