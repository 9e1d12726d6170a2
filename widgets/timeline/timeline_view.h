#pragma once

// What happened when: one row of kernels per stream, or per thread of a CPU, below it a counter (active warps unless
// another is chosen) as a step line with the share of the device's maximum at the right, both on one time axis; stages
// as bands behind. Several timelines have their rows below each other and their counters, with their means, over each
// other; they can be shifted so that what is selected starts at one time. Simulated and profiled timelines look the
// same and say which they are. Selection goes both ways. Lives on the UI thread.
//
// Mouse: the wheel zooms about the cursor, drag pans, click selects a kernel's operator or a stage, double click shows
// everything, hovering tells the facts.

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

// What is on the axis.
struct TimelineOf {
    QString letter;                           // of its pane; empty: it is alone
    std::shared_ptr<const Graph> graph;       // null: nothing is known of it
    std::shared_ptr<const Timeline> timeline; // null: not made yet
    QPointer<Selection> selection;            // of its own stages
};

class TimelineView : public QWidget {
    Q_OBJECT

public:
    explicit TimelineView(Selection *selection, QWidget *parent = nullptr);
    ~TimelineView() override;

    // Null: the empty state. The visible time range is kept where the timeline belongs to the same graph and schedule
    // length, else everything is shown.
    void setTimeline(std::shared_ptr<const Graph> graph, std::shared_ptr<const Timeline> timeline);
    void setTimelines(std::vector<TimelineOf> timelines); // on one axis, each with a selection of its own
    [[nodiscard]] std::size_t laneCount() const;
    void setAligned(bool aligned); // at what is selected
    [[nodiscard]] bool isAligned() const;
    [[nodiscard]] double shiftUs(std::size_t lane) const; // of its time against that of the first
    void setHint(const QString &hint);

    // Of the visible time, in microseconds.
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
