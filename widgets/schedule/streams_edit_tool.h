#pragma once

// Manual editing in a view of streams: launches are moved to another lane or place, swapped, and events added or
// dropped. It changes nothing itself: the wanted change is emitted as an Edit. Lives on the UI thread, as long as its
// view.
//
// Mouse: dragging a box moves it to the lane and the place under the pointer, right of the last lane to a new stream;
// what the drop would do, or why it is impossible, stands beside the pointer. Keys: Ctrl with left and right moves the
// selected launch to the neighbouring stream, Ctrl with up and down before and behind its neighbour in launch order. E
// begins an event at the selected launch, X swaps it: then Enter or a click names the other one. An event that is there
// is dropped. Escape ends a drag, an event or a swap.

#include "model/model.h"
#include "schedule/edit/edit.h"
#include "schedule/timed_schedule.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <memory>
#include <optional>

class QAction;

namespace stagecraft {

class Selection;
class StreamsView;

class StreamsEditTool : public QObject {
    Q_OBJECT

public:
    StreamsEditTool(StreamsView *view, Selection *selection);
    ~StreamsEditTool() override;

    // A schedule with streams and its model; both null: nothing is edited.
    void setContext(std::shared_ptr<const Model> model, std::shared_ptr<const TimedSchedule> schedule);

    [[nodiscard]] std::optional<std::size_t> launch() const; // the selected one; empty: none, or nothing is edited

    // For menus; they have their keys in the view.
    [[nodiscard]] const QList<QAction *> &actions() const;

    // Shows the text beside the selected launch until the next key or click, and announces it to screen readers.
    void say(const QString &text);
    [[nodiscard]] QString saidText() const; // that text, or what a drag, an event or a swap would do

signals:
    void editRequested(const stagecraft::Edit &edit);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
