#pragma once

// A timeline of the device: one row of kernels per stream, or per thread of a CPU, and below it the chosen counters
// (active warps by default) as step lines, each with its mean over what is visible, all on one time axis; stages are
// bands in the background; launches, waits and barriers look different. Several timelines have their rows stacked and
// their counters overlaid; they can be shifted so that the selection starts at the same time. Simulated and profiled
// timelines look the same and are labelled. The selection is synchronised both ways. Lives on the UI thread.
//
// Mouse: drag selects a range, whose statistics stand under the axis until Escape, and moves an edge of it; the middle
// button pans; the wheel zooms about the pointer, with Shift it pans; click selects a kernel's operator or a stage,
// double click shows the whole timeline, hovering shows the facts. Rows that do not fit scroll, below a time axis that
// stays: Up, Down, page keys and the middle button, too. Keys: those of actions().

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/base/selection.h"

#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QAction;

namespace stagecraft {

// One timeline on the axis.
struct TimelineOf {
    QString letter;                                          // letter of its pane; empty: the only one
    std::shared_ptr<const Graph> graph;                      // null: unknown
    std::shared_ptr<const TimelineIndex> timeline;           // null: not made yet
    QPointer<Selection> selection;                           // of stages of its own schedule
    std::shared_ptr<const TimedSchedule> schedule = nullptr; // says which stages are a block; null: unknown
};

class TimelineView : public QWidget {
    Q_OBJECT

public:
    explicit TimelineView(Selection *selection, QWidget *parent = nullptr);
    ~TimelineView() override;

    // Null: the empty state. Keeps the visible time range and the selected one while the graph stays, unless everything
    // was visible; else shows everything.
    void setTimeline(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimelineIndex> timeline,
                     std::shared_ptr<const TimedSchedule> schedule = nullptr);
    void setTimelines(std::vector<TimelineOf> timelines); // on one axis, each with its own selection
    [[nodiscard]] std::size_t laneCount() const;
    void setAligned(bool aligned); // aligns at the selection
    [[nodiscard]] bool isAligned() const;
    [[nodiscard]] double shiftUs(std::size_t lane) const; // of its time relative to the first one's
    void setHint(const QString &hint);

    // The start of the visible time, in microseconds.
    [[nodiscard]] double visibleFromUs() const;
    [[nodiscard]] double visibleToUs() const;
    void setVisibleTime(double fromUs, double toUs);

    // In the time of the first timeline, in microseconds.
    void selectRange(std::optional<std::pair<double, double>> range);
    [[nodiscard]] std::optional<std::pair<double, double>> selectedRange() const;
    [[nodiscard]] QString rangeText() const; // the statistics of the selected range; empty: none is selected
    [[nodiscard]] std::vector<double> marks() const;

    void chooseCounters(const QStringList &titles); // those that there are; at least one stays
    [[nodiscard]] QStringList chosenCounters() const;
    [[nodiscard]] QStringList counterTitles() const; // with their means over what is visible

    void find(const QString &text);                    // in names of operators and kernels
    [[nodiscard]] std::pair<int, int> matches() const; // the current one (-1: none), and how many

    // Zoom, pan, step, mark, find: their keys work in this view; for menus.
    [[nodiscard]] const QList<QAction *> &viewActions() const;

    // The middle of a kernel's box on this widget; for tests.
    [[nodiscard]] QPoint kernelCentre(std::size_t kernel, std::size_t lane = 0) const;

    [[nodiscard]] QString plainSummary() const; // the line above the plot

    [[nodiscard]] QSize sizeHint() const override;

public slots:
    void showAll();
    void showFindBar();
    void zoomToSelection(); // to the selected range, else to what is selected
    void back();            // to what was visible before

signals:
    void alignedChanged(bool aligned);

protected:
    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
