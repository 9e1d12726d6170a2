#pragma once

// Latency against the cost of the search, a mark per point of a pruning study. Hovering previews a point's schedule, a
// click chooses it, a drag selects a region, the wheel zooms, the middle button pans. Keys: arrows go from point to
// point by cost, Enter chooses, Space selects, Z zooms to the selection or all, W and S zoom, A and D pan, Escape
// clears the selection. Lives on the UI thread.

#include "widgets/study/plotted_point.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QCPPainter;

namespace stagecraft {

class SchedulePreview;

class PruningPlot : public QWidget {
    Q_OBJECT

public:
    explicit PruningPlot(QWidget *parent = nullptr);
    ~PruningPlot() override;

    // Zoom and selection stay if the points continue the previous ones.
    void setPoints(std::vector<PlottedPoint> points);
    // Shown when the cost is in seconds; `by` says whose they are and on which device.
    void setPublished(std::vector<PublishedPoint> points, const QString &by);
    void setCost(PointCost cost);
    [[nodiscard]] PointCost cost() const;
    void setLines(EqualBound equal, bool shown);
    void setSelected(const std::vector<PruningPoint> &points);
    [[nodiscard]] const std::vector<PruningPoint> &selected() const;
    [[nodiscard]] const std::vector<PlottedPoint> &points() const;
    void showAll();
    // All points, with their bounds; for pictures.
    void paintWhole(QCPPainter &painter, QSize size);

    // For tests: where a point is drawn, and the card shown for the current one.
    [[nodiscard]] QPoint placeOf(const PruningPoint &point) const;
    [[nodiscard]] const SchedulePreview *preview() const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void chosen(const stagecraft::PruningPoint &point);
    void selectionChanged();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
