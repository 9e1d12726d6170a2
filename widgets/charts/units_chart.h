#pragma once

// The virtual units of a fused stage over time: a row for units that do the same, with their rTasks in the colours of
// their operators and their waits hatched; below, how many units are busy; beside them, the time of each rKernel
// against the share of the device that it takes, the chosen one filled. The stage is the selected one, or the slowest
// that is fused. Click selects the operator. Lives on the UI thread.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "timing/timeline/unit_rows.h"
#include "widgets/charts/plot_page.h"

#include <memory>
#include <vector>

namespace stagecraft {

class Selection;

class UnitsChart : public PlotPage {
    Q_OBJECT

public:
    explicit UnitsChart(Selection *selection, QWidget *parent = nullptr);
    ~UnitsChart() override;

    // Without fused stages the empty state is shown.
    void setFused(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimedSchedule> schedule,
                  std::vector<FusedUnits> fused);

    // The middle of the first rTask of an operator on this widget, for tests; null if it has none.
    [[nodiscard]] QPoint taskCentre(OperatorId op) const;

protected:
    void applyTheme() override;
    void clicked(QPoint point) override;
    [[nodiscard]] QString tipAt(QPoint point) const override;

private:
    void showStage(); // the one that the selection wants

    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
