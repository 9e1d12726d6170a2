#pragma once

// Appends the traces of stages to a timeline as profilers fill it, marked as simulated.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/stage_program.h"
#include "timing/timeline/timeline.h"

#include <cstdint>
#include <string>

namespace stagecraft {

class SimulatedTimeline {
public:
    // `fmaPerClockPerSm`: of the fastest arithmetic in use, which is the peak.
    SimulatedTimeline(const DeviceDescription &device, std::string deviceId, double fmaPerClockPerSm);

    void appendGap(double us); // between two stages: nothing runs
    // `rOperators`: of a fused stage.
    void appendStage(const StageProgram &program, const BlockTrace &trace, double latencyNs,
                     std::vector<TimedROperator> rOperators = {});
    void appendStreams(const StageProgram &program, const BlockTrace &trace, double latencyNs); // of no stage
    [[nodiscard]] Timeline finish() &&;

private:
    void append(const StageProgram &program, const BlockTrace &trace, double latencyNs, std::uint32_t stage);
    void appendSample(std::int64_t timeNs, const DeviceSample &sample);

    const DeviceDescription &m_device;
    Timeline m_timeline;
    std::int64_t m_nowNs = 0;
};

} // namespace stagecraft
