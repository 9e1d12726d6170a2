#pragma once

// Manual editing in a schedule view: choosing operators and stages, and moving them by mouse or keyboard. It changes
// nothing itself: the wanted change is emitted as an Edit. Lives on the UI thread, as long as its view.
//
// Mouse: click chooses, Ctrl+click adds or removes, Shift+click chooses a range, a drag from empty space chooses what
// it touches, double click chooses a group. Dragging an operator, the space between the boxes of a lane, or a stage
// number moves the chosen parts; Shift takes companions along, Escape cancels. The middle button pans. Keys: Shift with
// arrows extends the choice. Enter picks up; then up and down go through the legal places (with Shift: with
// companions), digits go to a stage, Enter drops, Escape cancels. While \ is held the original is shown.

#include "schedule/edit/edit.h"
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

class ScheduleEditTool : public QObject {
    Q_OBJECT

public:
    ScheduleEditTool(ScheduleView *view, Selection *selection);
    ~ScheduleEditTool() override;

    // Chosen parts stay chosen if they still exist.
    void setContext(EditContext context);
    [[nodiscard]] const EditContext &context() const;

    [[nodiscard]] const ChosenParts &chosen() const;
    void choose(ChosenParts chosen);

    // Shows the text next to the chosen parts until the next key or click, and announces it to screen readers.
    void say(const QString &text);
    void refreshText();                     // latencies have become known: says again what a move in progress would do
    [[nodiscard]] QString saidText() const; // that text, or the text of the move in progress

    [[nodiscard]] bool isMoving() const;
    [[nodiscard]] const std::vector<EditPlaceAnswer> &places() const; // for the move in progress
    void cancel();                                                    // cancels the move

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
