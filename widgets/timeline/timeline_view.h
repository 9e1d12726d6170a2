#pragma once

// A timeline of the device: one row of kernels per stream, or per thread of a CPU, and below it a counter (active warps
// by default) as a step line with the share of the device's maximum at the right, both on one time axis; stages are
// bands in the background. Several timelines have their rows stacked and their counters, with means, overlaid; they can
// be shifted so that the selection starts at the same time. Simulated and profiled timelines look the same and are
// labelled. The selection is synchronised both ways. Lives on the UI thread.
//
// Mouse: the wheel zooms about the cursor, drag pans, click selects a kernel's operator or a stage, double click shows
// the whole timeline, hovering shows the facts.

#include "graph/graph.h"
#include "timeline/timeline.h"
#include "widgets/selection.h"

#include <QPointer>
#include <QString>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <vector>

namespace stagecraft {

// One timeline on the axis.
struct TimelineOf {
    QString letter;                           // letter of its pane; empty: the only one
    std::shared_ptr<const Graph> graph;       // null: unknown
    std::shared_ptr<const Timeline> timeline; // null: not made yet
    QPointer<Selection> selection;            // of stages of its own schedule
};

class TimelineView : public QWidget {
    Q_OBJECT

public:
    explicit TimelineView(Selection *selection, QWidget *parent = nullptr);
    ~TimelineView() override;

    // Null: the empty state. Keeps the visible time range if graph and schedule length are unchanged, else shows
    // everything.
    void setTimeline(std::shared_ptr<const Graph> graph, std::shared_ptr<const Timeline> timeline);
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

    // The middle of a kernel's box on this widget; for tests.
    [[nodiscard]] QPoint kernelCentre(std::size_t kernel, std::size_t lane = 0) const;

    [[nodiscard]] QString plainSummary() const; // the line above the plot

    [[nodiscard]] QSize sizeHint() const override;

public slots:
    void showAll();

signals:
    void alignedChanged(bool aligned);

protected:
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
