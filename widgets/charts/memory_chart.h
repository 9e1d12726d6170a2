#pragma once

// What a schedule keeps in memory: a rectangle per buffer, over the stages in which it is needed and the bytes where it
// lies in the arena, in the colour of the stage that writes it. A line shows the bytes that are live in each stage, its
// peak is marked. Click selects the operator that writes the buffer, or the stage. Lives on the UI thread.

#include "graph/graph.h"
#include "plan/memory_use.h"
#include "plan/target_memory.h"
#include "schedule/timed_schedule.h"
#include "widgets/charts/plot_page.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class Selection;

struct ShownMemory {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimedSchedule> schedule; // of that graph
    plan::MemoryUse use;                           // of that schedule
    std::size_t referenceCountedBytes = 0;         // what TVM's planner would take
    std::size_t weightsBytes = 0;                  // beside it
    QString basis;                                 // whose plan it is
    std::vector<plan::TargetMemory> targets = {};  // what it takes elsewhere
};

class MemoryChart : public PlotPage {
    Q_OBJECT

public:
    explicit MemoryChart(Selection *selection, QWidget *parent = nullptr);
    ~MemoryChart() override;

    void setMemory(std::optional<ShownMemory> memory); // nullopt: the hint is shown

    // The middle of a buffer's rectangle on this widget, for tests; null if nothing is shown.
    [[nodiscard]] QPoint bufferCentre(std::size_t buffer) const;
    [[nodiscard]] QString tipOfBuffer(std::size_t buffer) const; // as at its rectangle

protected:
    void applyTheme() override;
    void clicked(QPoint point) override;
    [[nodiscard]] QString tipAt(QPoint point) const override;

private:
    void showFacts();

    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
