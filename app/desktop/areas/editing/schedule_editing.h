#pragma once

// Manual editing in the window: menus and keys for the chosen parts of the focused pane, each with the reason if it is
// impossible. Requests all changes from the document, has them measured, and shows them. Lives on the UI thread.

#include "desktop/document/document.h"
#include "widgets/schedule/chosen_parts.h"

#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QKeySequence;
class QMenu;

namespace stagecraft {

class PaneRow;
class ResultQueue;
class ScheduleEditTool;
struct EditContext;
struct StagesToTake;

class ScheduleEditing : public QObject {
    Q_OBJECT

public:
    ScheduleEditing(Document *document, ResultQueue *queue, PaneRow *panes, QObject *parent = nullptr);

    // Its entries show their effect, or why they are impossible; updated before the menu opens.
    void fillMenu(QMenu *menu);

    void apply(const Edit &edit); // in the focused pane
    void take(const StagesToTake &take);
    void tryStage(const Stage &stage);
    void measure(const EditToMeasure &edit);

signals:
    void improveRequested(stagecraft::ResultId from);
    void told(const QString &text);

private:
    // The edit that an entry would make now; an error if it makes no sense.
    using Wanted = std::function<Result<Edit>()>;
    struct Entry {
        QAction *action;
        QString verb;
        Wanted wanted;
    };

    QAction *add(const QString &text, const QKeySequence &keys, const std::function<void()> &act,
                 bool isOfStreamsToo = false);
    void addEdit(const QString &verb, const QKeySequence &keys, Wanted wanted);
    void refresh();
    void refreshOfStreams();
    void enableAll();
    void showEntries(QMenu *menu, const QList<QAction *> &ofStages) const;
    void showPlaces();
    [[nodiscard]] ScheduleEditTool *editTool() const;
    [[nodiscard]] ResultId result() const;
    [[nodiscard]] SchedulePtr origin() const { return m_document->editor()->editedFrom(result()); }
    [[nodiscard]] const EditContext &context() const;
    [[nodiscard]] const ChosenParts &chosen() const;
    [[nodiscard]] Result<void> measurable() const; // whether more can be measured of the result
    [[nodiscard]] bool isEditable() const;         // stages
    [[nodiscard]] bool hasStreams() const;
    void show(ResultId id, const std::vector<std::size_t> &changed);
    void freezeWhatStandsTwice();
    void togglePins(bool wholeBlocks);
    void toggleLaunchPin();

    Document *m_document;
    ResultQueue *m_queue;
    PaneRow *m_panes;
    std::vector<Entry> m_entries;
    QAction *m_pickUp = nullptr;
    QAction *m_moveTo = nullptr;
    QAction *m_pin = nullptr;
    QAction *m_pinBlock = nullptr;
    QAction *m_improve = nullptr;
    bool m_isApplying = false;
};

} // namespace stagecraft
