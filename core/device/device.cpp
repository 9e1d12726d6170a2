#include "device/device.h"

namespace stagecraft {

Result<LatencySample> DeviceSession::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    return measureSchedule(schedule, std::move(stop)).map([](const ScheduleMeasurement &measurement) {
        return measurement.whole;
    });
}

Result<std::vector<HostTensor>> DeviceSession::run(const Schedule &, std::vector<HostTensor>, std::stop_token)
{
    return fail(ErrorCode::WrongUse, "this device does not compute outputs", "use a device that executes, such as cpu");
}

// The median: on a machine that other programs share, the mean follows their bursts.
Result<double> DeviceSession::stageLatencyUs(const Stage &stage, std::stop_token stop)
{
    const auto sample = measureStage(stage, std::move(stop));
    m_lastWasKept = sample && sample->cached;
    return sample.map([](const LatencySample &known) { return known.medianUs; });
}

} // namespace stagecraft
