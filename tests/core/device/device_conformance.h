#pragma once

// What every device promises (device/device.h), asked of any of them. Each function ends a test with the first promise
// that is not kept.

#include "device/device.h"

#include <functional>
#include <memory>

namespace stagecraft::test {

// A device on the conformance network.
struct DeviceUnderTest {
    std::function<std::unique_ptr<Device>()> make;
    bool isDeterministic = false; // the same latency each time
    bool executes = false;
    bool measures = true;    // latencies and timelines
    bool verifies = true;    // else it is a table: illegal stages are not in it
    double tolerance = 1e-5; // of outputs
};

// Branches of different lengths, three of which can be merged.
[[nodiscard]] std::shared_ptr<const Graph> conformanceNetwork();
// One operator per stage; side by side; with a merge stage.
[[nodiscard]] std::vector<Schedule> conformanceSchedules(const Graph &graph);

void describesItself(const DeviceUnderTest &device);
void stagesHaveLatencies(const DeviceUnderTest &device);
void schedulesHaveLatencies(const DeviceUnderTest &device);
void stopsWhenAsked(const DeviceUnderTest &device);
void timelinesFitTheSchedule(const DeviceUnderTest &device);
void refusesIllegalStages(const DeviceUnderTest &device);
void refusesIllegalSchedules(const DeviceUnderTest &device);
void runsRightOrRefuses(const DeviceUnderTest &device);

} // namespace stagecraft::test
