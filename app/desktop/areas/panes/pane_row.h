#pragma once

// The panes in the middle of the window: one to four results side by side, lettered from left to right. The focused
// pane shows the current result (Results::front). Results of one model are compared: level at common cuts, scrolled,
// zoomed and folded together, with one selection. Lives on the UI thread.

#include "desktop/areas/panes/pane_comparison.h"

#include <QList>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QAction;
class QHBoxLayout;

namespace stagecraft {

class SchedulePane;
class Selection;
class SpanGutter;

class PaneRow : public QWidget {
    Q_OBJECT

public:
    static constexpr std::size_t kMostPanes = 4;
    static constexpr int kNarrowestPane = 220;
    static constexpr int kLeastTogether = 480; // all panes together

    // `selection`: that of the focused pane, shared with the other views.
    PaneRow(Document *document, Selection *selection, QWidget *parent = nullptr);
    ~PaneRow() override;

    [[nodiscard]] std::size_t count() const { return m_panes.size(); }
    [[nodiscard]] SchedulePane *pane(std::size_t index) const { return m_panes[index]; }
    [[nodiscard]] std::size_t focused() const { return m_focused; }
    [[nodiscard]] SchedulePane *focusedPane() const { return m_panes[m_focused]; }
    [[nodiscard]] SpanGutter *gutter(std::size_t index) const { return m_gutters[index]; } // to the right of that pane
    [[nodiscard]] QString lettersOf(ResultId id) const; // "A", "A, C"; empty: only one pane, or not shown

    void openBeside(ResultId id);                              // in another pane at the right, which gets the focus
    void show(std::vector<ResultId> ids, std::size_t focused); // replaces all panes; ids not on the shelf are ignored
    void close(std::size_t index);
    void focus(std::size_t index);
    [[nodiscard]] static int widthOfOneMore();
    void setLeastWidth(int width);         // of all panes together; additional panes need more
    void setGutterAction(QAction *action); // shown above all gutters
    // Their keys work in all schedules with stages; those of the second list in schedules with streams, too.
    void setViewActions(const QList<QAction *> &actions, const QList<QAction *> &ofStreams);

    [[nodiscard]] bool isLinked() const { return m_isLinked; }
    void setLinked(bool linked);
    [[nodiscard]] bool areEqualStagesFolded() const { return m_comparison.areEqualStagesFolded(); }
    void setEqualStagesFolded(bool folded);
    [[nodiscard]] bool areStagesCompared() const { return m_comparison.staged() != nullptr; }
    [[nodiscard]] bool areLengthsLatencies() const { return m_comparison.areLengthsLatencies(); }
    void setLengthsLatencies(bool latencies); // of boxes, on one scale for all compared results

    [[nodiscard]] std::shared_ptr<const ComparedSchedules> besideStreams(std::size_t left) const
    {
        return m_comparison.besideStreams(left);
    }
    // Panes of one model, with stages or streams. Null: nothing is compared.
    [[nodiscard]] const std::shared_ptr<const ComparedSchedules> &compared() const { return m_comparison.compared(); }
    [[nodiscard]] std::optional<std::size_t> sideOf(std::size_t pane) const { return m_comparison.sideOf(pane); }
    [[nodiscard]] std::size_t paneOf(std::size_t side) const { return m_comparison.paneOf(side); }
    [[nodiscard]] std::optional<std::size_t> currentSpan() const // that of the selection
    {
        return m_comparison.spanOf(m_focused, m_selection->current());
    }
    void showSpan(std::size_t span);
    void showStage(std::size_t side, std::size_t stage);
    std::optional<std::size_t> goToDifference(int direction); // returns the index of its span; nullopt: there is none

    // From a neighbour into the focused pane: the span or block of the selection. nullopt if there is no such pane or
    // it is the same there.
    [[nodiscard]] std::optional<StagesToTake> toTake(int neighbour, bool wholeBlock) const;

signals:
    void panesChanged(); // number, results or focus
    void widthChanged();
    void comparedChanged();
    void measureAgainPressed(stagecraft::ResultId id);
    void addPressed(const QPoint &globalPosition); // another result in a new pane
    void takePressed(const stagecraft::StagesToTake &take);
    void menuRequested(const QPoint &globalPosition);
    void editRequested(const stagecraft::Edit &edit); // for the focused pane

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    SchedulePane *addPane(ResultId id);
    void arrange();    // panes and gutters
    void markPanes();  // letters, focus
    void setGutters(); // which panes the gutters join
    void follow();     // follows changes of the document
    void replace(ResultId gone, ResultId by);
    void showOriginal(SchedulePane *pane, bool held);
    void compare();
    void place();     // rows of the compared panes
    void placeSoon(); // after a change of width
    void spreadSelection();
    void showIn(SchedulePane *pane, const Selected &selected);
    void scrollInStep(const SchedulePane *pane);
    void zoomInStep(const SchedulePane *pane, double zoom);
    [[nodiscard]] std::size_t indexOf(const SchedulePane *pane) const;
    [[nodiscard]] bool isInStep(std::size_t pane) const { return m_isLinked && m_comparison.isPlaced(pane); }

    Document *m_document;
    Selection *m_selection;
    QHBoxLayout *m_line;
    std::vector<SchedulePane *> m_panes;
    std::vector<SpanGutter *> m_gutters;
    std::size_t m_focused = 0;
    int m_leastWidth = kLeastTogether;
    QAction *m_gutterAction = nullptr;
    QList<QAction *> m_viewActions;
    QList<QAction *> m_streamsActions;

    PaneComparison m_comparison;
    bool m_isToPlace = false; // once the panes have their new widths
    bool m_isLinked = true;
    bool m_isSpreading = false; // changes reported by panes are our own
    bool m_isClosing = false;
};

} // namespace stagecraft
