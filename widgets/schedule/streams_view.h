#pragma once

// A stream schedule on a page: streams are lanes, down the page is launch order, events are arrows. The selection is
// synchronised with Selection both ways: a click selects an operator, of a merged launch its first one. Screen readers
// hear the launch that is selected. streams_edit_tool.h edits it. Lives on the UI thread.
//
// Mouse: as of a page; click selects, click beside everything clears. Keys: up and down go along the stream, left and
// right along the launch order, Escape clears, and those of a page.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/selection.h"
#include "widgets/canvas/page_canvas.h"
#include "widgets/schedule/stage_marks.h"
#include "widgets/schedule/streams_page.h"

#include <functional>
#include <memory>
#include <optional>

namespace stagecraft {

class StreamsView : public PageCanvas {
    Q_OBJECT

public:
    explicit StreamsView(Selection *selection, QWidget *parent = nullptr);

    // A schedule with streams; null: an empty page. Keeps the zoom; scrolls to the top if the schedule changes.
    void setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimedSchedule> schedule);
    [[nodiscard]] std::optional<std::size_t> selectedLaunch() const;
    // Beside stages: where spans of launches start at a zoom; empty: rows follow each other. Reset with other streams.
    using RowPlacer = std::function<RowPlaces(double zoom)>;
    void setPlacer(RowPlacer placer);
    void setMarks(StageMarks marks); // by launch; empty: none. Until the next call
    [[nodiscard]] const StageMarks &marks() const { return m_marks; }
    [[nodiscard]] const StreamsPage &page() const { return m_page; }
    // The launch's place on the viewport. For tests.
    [[nodiscard]] QRect launchRect(std::size_t launch) const;

    [[nodiscard]] QSize sizeHint() const override { return {520, 420}; }

protected:
    [[nodiscard]] bool isEmpty() const override { return !m_schedule; }
    [[nodiscard]] QSizeF sizeAt(double zoom) const override;
    QSizeF layOut() override;
    void paintPage(QPainter &painter, const QRectF &visible, const Theme &theme) override;
    void pointAt(QPoint position) override;
    void pointAway() override;
    void click(QPoint position) override;
    [[nodiscard]] QString tipAt(QPoint position) const override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] StreamsPage pageAt(double zoom) const;
    [[nodiscard]] QString textOf(std::size_t launch) const; // what it is, what it waits for and who waits for it
    void setHovered(std::optional<std::size_t> launch);
    void select(std::optional<std::size_t> launch);
    void step(int direction, bool isAlongStream);
    void selectionChanged();

    Selection *m_selection;
    std::shared_ptr<const Graph> m_graph;
    std::shared_ptr<const TimedSchedule> m_schedule;
    RowPlacer m_placer;
    StreamsPage m_page;
    std::optional<std::size_t> m_hovered;
    StageMarks m_marks;
    ModelMarks m_models; // of the graph
};

} // namespace stagecraft
