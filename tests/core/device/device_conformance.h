#pragma once

// Checks of what every device promises (device/device.h). Each function fails the test at the first broken promise.

#include "device/device.h"

#include <functional>
#include <memory>

namespace stagecraft::test {

// A device on the conformance network.
struct DeviceUnderTest {
    std::function<std::unique_ptr<Device>()> make;
    bool isDeterministic = false; // every run has the same latency
    bool executes = false;
    bool measures = true;    // latencies and timelines
    bool verifies = true;    // false: it is a table without illegal stages
    double tolerance = 1e-5; // for outputs
};

// Branches of different lengths; three can be merged.
[[nodiscard]] std::shared_ptr<const Graph> conformanceNetwork();
// One operator per stage; concurrent groups; with a merge stage.
[[nodiscard]] std::vector<TimedSchedule> conformanceSchedules(const Graph &graph);

void describesItself(const DeviceUnderTest &device);
void stagesHaveLatencies(const DeviceUnderTest &device);
void schedulesHaveLatencies(const DeviceUnderTest &device);
void stopsWhenAsked(const DeviceUnderTest &device);
void timelinesFitTheSchedule(const DeviceUnderTest &device);
void refusesIllegalStages(const DeviceUnderTest &device);
void refusesIllegalSchedules(const DeviceUnderTest &device);
void runsRightOrRefuses(const DeviceUnderTest &device);

} // namespace stagecraft::test
