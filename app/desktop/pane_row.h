#pragma once

// The panes in the middle of the window: one to four results beside each other, with letters from left to right. The
// pane in focus shows the result in front (Document::front); those of one model are compared: level at common cuts,
// scrolled, zoomed and folded in step, with one selection. Lives on the UI thread.

#include "desktop/document.h"
#include "widgets/schedule/compared_schedules.h"
#include "widgets/schedule/row_places.h"

#include <QList>
#include <QWidget>

#include <memory>
#include <optional>
#include <set>
#include <vector>

class QAction;
class QHBoxLayout;

namespace stagecraft {

class SchedulePane;
class Selection;
class SpanGutter;
struct Selected;

// Stages of one pane in place of those of another that run the same operators.
struct StagesToTake {
    std::size_t from = 0; // panes
    std::size_t into = 0;
    StageRange fromStages;
    StageRange intoStages;
};

class PaneRow : public QWidget {
    Q_OBJECT

public:
    static constexpr std::size_t kMostPanes = 4;
    static constexpr int kNarrowestPane = 220;
    static constexpr int kLeastTogether = 480; // of all panes

    // `selection`: of the pane in focus, shared with the other views.
    PaneRow(Document *document, Selection *selection, QWidget *parent = nullptr);
    ~PaneRow() override;

    [[nodiscard]] std::size_t count() const { return m_panes.size(); }
    [[nodiscard]] SchedulePane *pane(std::size_t index) const { return m_panes[index]; }
    [[nodiscard]] std::size_t focused() const { return m_focused; }
    [[nodiscard]] SchedulePane *focusedPane() const { return m_panes[m_focused]; }
    [[nodiscard]] SpanGutter *gutter(std::size_t index) const { return m_gutters[index]; } // right of that pane
    [[nodiscard]] QString lettersOf(ResultId id) const; // "A", "A, C"; empty: one pane, or not shown

    void openBeside(ResultId id);                              // in a pane more, at the right, in focus
    void show(std::vector<ResultId> ids, std::size_t focused); // those that are on the shelf, in place of all
    void close(std::size_t index);
    void focus(std::size_t index);
    [[nodiscard]] static int widthOfOneMore();
    void setLeastWidth(int width);                        // of all panes together; more panes need more
    void setGutterAction(QAction *action);                // shown above every gutter
    void setViewActions(const QList<QAction *> &actions); // whose keys every schedule has

    [[nodiscard]] bool isLinked() const { return m_isLinked; }
    void setLinked(bool linked);
    [[nodiscard]] bool areEqualStagesFolded() const;
    void setEqualStagesFolded(bool folded);
    [[nodiscard]] bool areLengthsLatencies() const { return m_areLengthsLatencies; }
    void setLengthsLatencies(bool latencies); // of boxes, on one scale for all that are compared

    // Null: nothing is compared.
    [[nodiscard]] const std::shared_ptr<const ComparedSchedules> &compared() const { return m_compared; }
    [[nodiscard]] std::optional<std::size_t> sideOf(std::size_t pane) const; // of what is compared
    [[nodiscard]] std::size_t paneOf(std::size_t side) const { return m_sides[side]; }
    [[nodiscard]] std::optional<std::size_t> currentSpan() const; // of the selection
    void showSpan(std::size_t span);
    void showStage(std::size_t side, std::size_t stage);
    std::optional<std::size_t> goToDifference(int direction); // which span it is; nothing: there is none

    // From a neighbour into the pane in focus: the span or block of the selection. Nothing: there is no such pane, or
    // it is the same there.
    [[nodiscard]] std::optional<StagesToTake> toTake(int neighbour, bool wholeBlock) const;

signals:
    void panesChanged(); // how many, which results, which is in focus
    void widthChanged();
    void comparedChanged();
    void measureAgainPressed(stagecraft::ResultId id);
    void addPressed(const QPoint &globalPosition); // a result beside
    void takePressed(const stagecraft::StagesToTake &take);
    void menuRequested(const QPoint &globalPosition);
    void editRequested(const stagecraft::Edit &edit); // in the pane in focus

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    SchedulePane *addPane(ResultId id);
    void arrange();    // panes and gutters
    void markPanes();  // letters, focus
    void setGutters(); // what they join
    void setLengths();
    void follow(); // the document has changed
    void replace(ResultId gone, ResultId by);
    void showOriginal(SchedulePane *pane, bool held);
    void compare();
    void place(); // rows of the panes that are compared
    void foldByDefault();
    void toggleFold(std::size_t firstSpan);
    [[nodiscard]] RowPlaces placesOf(std::size_t side, double zoom) const;
    void spreadSelection();
    void showIn(SchedulePane *pane, const Selected &selected);
    void scrollInStep(const SchedulePane *pane);
    void zoomInStep(const SchedulePane *pane, double zoom);
    [[nodiscard]] std::size_t indexOf(const SchedulePane *pane) const;
    [[nodiscard]] bool isInStep(std::size_t pane) const { return m_isLinked && sideOf(pane).has_value(); }

    Document *m_document;
    Selection *m_selection;
    QHBoxLayout *m_line;
    std::vector<SchedulePane *> m_panes;
    std::vector<SpanGutter *> m_gutters;
    std::size_t m_focused = 0;
    int m_leastWidth = kLeastTogether;
    QAction *m_gutterAction = nullptr;
    QList<QAction *> m_viewActions;

    std::shared_ptr<const ComparedSchedules> m_compared;
    std::vector<std::size_t> m_sides; // panes that are compared
    std::set<std::size_t> m_folded;   // first spans of runs
    std::optional<bool> m_foldEqual;  // as a person wants it
    mutable double m_placedZoom = 0;  // what m_places is of
    mutable std::vector<RowPlaces> m_places;
    bool m_areLengthsLatencies = false;
    bool m_isLinked = true;
    bool m_isSpreading = false; // what panes tell meanwhile comes from here
    bool m_isClosing = false;
};

} // namespace stagecraft
