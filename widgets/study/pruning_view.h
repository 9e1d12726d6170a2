#pragma once

// The panel of a pruning study: what to try (strategies, r, s, spaces), Start and Stop, the plot, and what the study
// has cost so far. Lives on the UI thread and knows no device: points come in as values.

#include "support/result.h"
#include "timing/provenance.h"
#include "widgets/study/plotted_point.h"

#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class PruningPlot;

// What a study has cost so far, and what there is to do.
struct StudyTotals {
    std::size_t planned = 0;              // points of the ranges in the panel
    std::size_t done = 0;                 // of them
    std::int64_t stagesMeasured = 0;      // distinct, for all points together
    std::int64_t stagesAsked = 0;         // by all searches, each by itself
    std::optional<Provenance> provenance; // of the points; empty: none yet
};

class PruningView : public QWidget {
    Q_OBJECT

public:
    explicit PruningView(QWidget *parent = nullptr);
    ~PruningView() override;

    // InvalidInput, naming the field, if a range cannot be read or there are too many points.
    [[nodiscard]] Result<PruningGrid> grid() const;
    void setGrid(const PruningGrid &grid);
    [[nodiscard]] PointCost cost() const;
    void setCost(PointCost cost);

    void setReady(const QString &whyNot); // empty: a study can start
    void setRunning(bool running);
    void setPoints(std::vector<PlottedPoint> points);
    void setTotals(const StudyTotals &totals);
    void showProgress(const QString &text); // of the point that is searched; empty: none
    void setPublished(std::vector<PublishedPoint> points, const QString &by); // whose, on which device

    [[nodiscard]] PruningPlot *plot() const;
    [[nodiscard]] QString plainSummary() const; // the lines above the plot
    [[nodiscard]] QString hint() const;         // instead of the plot; empty: the plot is shown

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void startRequested();
    void stopRequested();
    void gridChanged();
    void chosen(const std::vector<stagecraft::PruningPoint> &points); // to be put on the shelf

protected:
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
