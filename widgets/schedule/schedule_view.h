#pragma once

// A schedule on a page: stages down the page, groups as lanes side by side, operators as boxes in their lane, a merge
// stage as one box; stage number, latency and its bar at the left. The selection is synchronised with Selection both
// ways. Screen readers see a tree of stages and operators. Lives on the UI thread.
//
// Mouse: wheel scrolls, Ctrl+wheel zooms about the cursor, the middle button pans, click selects an operator or a
// stage, click outside the page clears; schedule_edit_tool.h has the rest. Keys: up and down go from stage to stage,
// left and right from operator to operator, Home, End, +, -, 0 (fit), 1 (full size), Escape (clear).

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "widgets/schedule/row_places.h"
#include "widgets/schedule/stage_marks.h"

#include <QAbstractScrollArea>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class Selection;
struct RowLengths;
struct SchedulePage;
struct Selected;
struct TimeChange;

class ScheduleView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit ScheduleView(Selection *selection, QWidget *parent = nullptr);
    ~ScheduleView() override;

    // Both null: the empty state with the hint. Keeps the zoom; scrolls to the top if the model changes.
    void setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const Schedule> schedule);
    [[nodiscard]] const std::shared_ptr<const Schedule> &schedule() const;
    [[nodiscard]] const std::shared_ptr<const Graph> &graph() const;
    [[nodiscard]] const Selected &selected() const;

    void setHint(const QString &hint);
    void setMarks(StageMarks marks); // until the next call
    [[nodiscard]] const StageMarks &marks() const;

    // Paints on top of the page; the painter's origin is the page's, `visible` is in page coordinates.
    using Overlay = std::function<void(QPainter &painter, const QRectF &visible)>;
    void setOverlay(Overlay overlay);
    [[nodiscard]] QPointF offset() const; // position of the viewport on the page
    void reveal(const QRectF &rect);      // in page coordinates

    // Gives the row positions for each zoom if the schedule is shown next to others; without a placer, rows follow each
    // other. Setting a schedule with other stages drops it.
    using RowPlacer = std::function<RowPlaces(double zoom)>;
    void setPlacer(RowPlacer placer);
    void setLengths(const RowLengths &lengths);
    // By block, in order: how its latency differs from that of the first schedule beside it. Empty: none is. Setting a
    // schedule with other stages drops them.
    void setBlockChanges(std::vector<TimeChange> changes);
    [[nodiscard]] const std::vector<TimeChange> &blockChanges() const;
    // A text in the span for a selection without a counterpart here; empty: none.
    void setMissing(const QString &text, std::size_t span = 0);
    [[nodiscard]] const QString &missingText() const;
    [[nodiscard]] const SchedulePage &page() const;
    void scrollToSpan(std::size_t span);

    [[nodiscard]] double zoom() const;
    void setZoom(double zoom);

    // The stage's place on the viewport; empty if there is none. For tests and synchronised views.
    [[nodiscard]] QRect stageRect(std::size_t stage) const;
    [[nodiscard]] QRect foldRect(std::size_t firstSpan) const;
    [[nodiscard]] QRect operatorRect(OperatorId op) const;

    [[nodiscard]] QSize sizeHint() const override;

public slots:
    void zoomIn();
    void zoomOut();
    void fitAll();

signals:
    void zoomChanged(double zoom);
    void foldPressed(std::size_t firstSpan); // the line of equal stages
    void laidOut();

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
