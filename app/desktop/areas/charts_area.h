#pragma once

// Charts of the current result's stages: their latency, how near they come to the device's peaks, the memory they need,
// and the units of fused ones.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"

#include <memory>

namespace stagecraft {

class LatencyChart;
class MemoryChart;
class RooflineChart;
class UnitsChart;
struct LatencyReasons;

class ChartsArea : public Area {
    Q_OBJECT

public:
    explicit ChartsArea(const AreaContext &context);

    void showReasons(const std::shared_ptr<const LatencyReasons> &reasons); // the roof, and units; null: unknown

    [[nodiscard]] std::vector<Dock> docks() const override;
    [[nodiscard]] bool isBusy() const override { return m_planning.isBusy(); }

private:
    void showFront();
    void requestMemory(); // of all results that it is not known of
    void showMemory();

    LatencyChart *m_latency;
    RooflineChart *m_roofline;
    MemoryChart *m_memory;
    UnitsChart *m_units;
    JobLane m_planning; // of memory
};

} // namespace stagecraft
