#pragma once

// The latency of each stage as a bar in the stage's colour. Click selects the stage, the wheel zooms along the stages,
// drag pans, hovering shows the value. Lives on the UI thread.

#include "schedule/timed_schedule.h"
#include "widgets/charts/plot_page.h"

#include <memory>
#include <optional>

namespace stagecraft {

class Selection;

class LatencyChart : public PlotPage {
    Q_OBJECT

public:
    explicit LatencyChart(Selection *selection, QWidget *parent = nullptr);
    ~LatencyChart() override;

    // If null or without latencies, the empty state is shown.
    void setSchedule(std::shared_ptr<const TimedSchedule> schedule);

    // The middle of a stage's bar on this widget, for tests.
    [[nodiscard]] QPoint barCentre(std::size_t stage) const;

protected:
    void applyTheme() override;
    void clicked(QPoint point) override;
    [[nodiscard]] QString tipAt(QPoint point) const override;

private:
    void showSum();
    [[nodiscard]] std::optional<std::size_t> stageAt(QPoint point) const;

    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
