#pragma once

// A schedule on a page: stages down the page, groups as lanes side by side, operators as boxes in their lane, a merge
// stage as one box; stage number, latency and its bar at the left. The selection is synchronised with Selection both
// ways. Screen readers see a tree of stages and operators. Lives on the UI thread.
//
// Mouse: as of a page; click selects an operator or a stage, click outside the page clears; schedule_edit_tool.h has
// the rest. Keys: up and down go from stage to stage, left and right from operator to operator, Escape clears, and
// those of a page.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/selection.h"
#include "widgets/base/time_change.h"
#include "widgets/canvas/page_canvas.h"
#include "widgets/schedule/operator_labels.h"
#include "widgets/schedule/row_places.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/stage_marks.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class ScheduleView : public PageCanvas {
    Q_OBJECT

public:
    explicit ScheduleView(Selection *selection, QWidget *parent = nullptr);

    // Both null: the empty state with the hint. Keeps the zoom; scrolls to the top if the model changes.
    void setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimedSchedule> schedule);
    [[nodiscard]] const std::shared_ptr<const TimedSchedule> &schedule() const { return m_schedule; }
    [[nodiscard]] const std::shared_ptr<const Graph> &graph() const { return m_graph; }
    [[nodiscard]] const Selected &selected() const { return m_selection->current(); }

    void setMarks(StageMarks marks); // until the next call
    [[nodiscard]] const StageMarks &marks() const { return m_marks; }

    // Gives the row positions for each zoom if the schedule is shown next to others; without a placer, rows follow each
    // other. Setting a schedule with other stages drops it.
    using RowPlacer = std::function<RowPlaces(double zoom)>;
    void setPlacer(RowPlacer placer);
    void setLengths(const RowLengths &lengths);
    // By block, in order: how its latency differs from that of the first schedule beside it. Empty: none is. Setting a
    // schedule with other stages drops them.
    void setBlockChanges(std::vector<TimeChange> changes);
    [[nodiscard]] const std::vector<TimeChange> &blockChanges() const { return m_blockChanges; }
    // A text in the span for a selection without a counterpart here; empty: none.
    void setMissing(const QString &text, std::size_t span = 0);
    [[nodiscard]] const QString &missingText() const { return m_missing; }
    [[nodiscard]] const SchedulePage &page() const { return m_page; }
    void scrollToSpan(std::size_t span);

    // The stage's place on the viewport; empty if there is none. For tests and synchronised views.
    [[nodiscard]] QRect stageRect(std::size_t stage) const;
    [[nodiscard]] QRect foldRect(std::size_t firstSpan) const;
    [[nodiscard]] QRect operatorRect(OperatorId op) const;

    [[nodiscard]] QSize sizeHint() const override { return {520, 420}; }

signals:
    void foldPressed(std::size_t firstSpan); // the line of equal stages

protected:
    [[nodiscard]] bool isEmpty() const override { return !m_schedule; }
    [[nodiscard]] QSizeF sizeAt(double zoom) const override { return pageAt(zoom).size; }
    QSizeF layOut() override;
    void paintPage(QPainter &painter, const QRectF &visible, const Theme &theme) override;
    void pointAt(QPoint position) override { setHovered(hitAt(position)); }
    void pointAway() override { setHovered(std::nullopt); }
    void click(QPoint position) override;
    [[nodiscard]] QString tipAt(QPoint position) const override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] SchedulePage pageAt(double zoom) const;
    [[nodiscard]] std::optional<SchedulePage::Hit> hitAt(QPoint position) const;
    [[nodiscard]] const OperatorBox *boxOf(OperatorId op) const;
    [[nodiscard]] QRectF rectOfBlock(std::size_t block) const;
    void setHovered(std::optional<SchedulePage::Hit> hit);
    void selectionChanged(const Selected &selected);
    void stepStage(int direction);
    void stepOperator(int direction);
    void paintMissing(QPainter &painter, const Theme &theme) const;

    Selection *m_selection;
    std::shared_ptr<const Graph> m_graph;
    std::shared_ptr<const TimedSchedule> m_schedule;
    std::vector<std::size_t> m_stageOf; // by operator
    SchedulePage m_page;
    RowPlacer m_placer;
    RowLengths m_lengths;
    QString m_missing;
    std::size_t m_missingIn = 0; // index of the span
    StageMarks m_marks;
    ModelMarks m_models; // of the graph
    OperatorLabels m_labels;
    std::vector<TimeChange> m_blockChanges;
    std::optional<SchedulePage::Hit> m_hovered;
};

} // namespace stagecraft
