#pragma once

// The stages of a schedule under the roof of the device: arithmetic per second against arithmetic per byte, both
// logarithmic. What lies on the slope waits for memory at best, what lies under the flat part for arithmetic; the
// distance to the roof is what launches, barriers and idle SMs cost. Click selects the stage. Lives on the UI thread.

#include "schedule/timed_schedule.h"
#include "timing/timeline/stage_loads.h"
#include "widgets/charts/plot_page.h"

#include <memory>
#include <vector>

namespace stagecraft {

class Selection;

class RooflineChart : public PlotPage {
    Q_OBJECT

public:
    explicit RooflineChart(Selection *selection, QWidget *parent = nullptr);
    ~RooflineChart() override;

    // Without loads the empty state is shown; an unknown roof is left out, and said.
    void setLoads(std::shared_ptr<const TimedSchedule> schedule, std::vector<StageLoad> loads, DeviceRoof roof);

    // The middle of a stage's mark on this widget, for tests; null if it has none.
    [[nodiscard]] QPoint markCentre(std::size_t stage) const;

protected:
    void applyTheme() override;
    void clicked(QPoint point) override;
    [[nodiscard]] QString tipAt(QPoint point) const override;

private:
    void showRoof();

    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
