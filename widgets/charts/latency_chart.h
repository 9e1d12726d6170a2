#pragma once

// The latency of each stage as a bar in the stage's colour. Click selects the stage, the wheel zooms along the stages,
// drag pans, hovering shows the value. Lives on the UI thread.

#include "schedule/schedule.h"

#include <QWidget>

#include <memory>

namespace stagecraft {

class Selection;

class LatencyChart : public QWidget {
    Q_OBJECT

public:
    explicit LatencyChart(Selection *selection, QWidget *parent = nullptr);
    ~LatencyChart() override;

    // If null or without latencies, the empty state is shown.
    void setSchedule(std::shared_ptr<const Schedule> schedule);
    void setHint(const QString &hint);

    [[nodiscard]] QString plainSummary() const; // the line above the bars

    // The middle of a stage's bar on this widget, for tests.
    [[nodiscard]] QPoint barCentre(std::size_t stage) const;

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
