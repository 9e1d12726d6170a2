#pragma once

// A schedule on a page: stages down the page, groups as lanes side by side, operators as boxes in their lane, a merge
// stage as one box; stage number, latency and its length at the left. Selection goes both ways through Selection.
// Lives on the UI thread.
//
// Mouse: wheel scrolls, Ctrl+wheel zooms about the cursor, the middle button pans, click selects an operator or a
// stage, click beside the page clears; what else hands do is in schedule_hands.h. Keys: up and down go from stage to
// stage, left and right from operator to operator, Home, End, +, -, 0 (fit), 1 (full size), Escape (clear).

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "widgets/schedule/row_places.h"
#include "widgets/schedule/stage_marks.h"

#include <QAbstractScrollArea>

#include <functional>
#include <memory>
#include <optional>

namespace stagecraft {

class Selection;
struct RowLengths;
struct ScheduleLayout;

class ScheduleView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit ScheduleView(Selection *selection, QWidget *parent = nullptr);
    ~ScheduleView() override;

    // Both null: the empty state, with the hint. Keeps the zoom; goes to the top where the model changes.
    void setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const Schedule> schedule);
    [[nodiscard]] const std::shared_ptr<const Schedule> &schedule() const;

    void setHint(const QString &hint);
    void setMarks(StageMarks marks); // until there are others
    [[nodiscard]] const StageMarks &marks() const;

    // Paints above the page; the painter's origin is the page's, `visible` in its coordinates.
    using Overlay = std::function<void(QPainter &painter, const QRectF &visible)>;
    void setOverlay(Overlay overlay);
    [[nodiscard]] QPointF offset() const; // of the viewport on the page
    void reveal(const QRectF &rect);      // of the page

    // Beside others it is told where its rows lie, for every zoom; without a placer they follow each other. Other
    // stages drop it.
    using RowPlacer = std::function<RowPlaces(double zoom)>;
    void setPlacer(RowPlacer placer);
    void setLengths(const RowLengths &lengths);
    // What is selected beside it and has no counterpart here is said in its span; empty: nothing.
    void setMissing(const QString &text, std::size_t span = 0);
    [[nodiscard]] const QString &missingText() const;
    [[nodiscard]] const ScheduleLayout &page() const;
    void scrollToSpan(std::size_t span);

    [[nodiscard]] double zoom() const;
    void setZoom(double zoom);

    // Where a stage is on the viewport now; empty where there is none. For tests and for views in step.
    [[nodiscard]] QRect stageRect(std::size_t stage) const;
    [[nodiscard]] QRect foldRect(std::size_t firstSpan) const;
    [[nodiscard]] QRect operatorRect(OperatorId op) const;

    void scrollToStage(std::size_t stage);

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
