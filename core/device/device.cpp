#include "device/device.h"

namespace stagecraft {

std::string DeviceInfo::contextVersion() const
{
    const std::string &identity = fileHash.empty() ? fingerprint : fileHash;
    return version + (version.empty() || identity.empty() ? "" : ", ") + identity;
}

bool DeviceInfo::isDeviceOf(const RunContext &context) const
{
    if (context.device == contextDevice())
        return true;
    RunContext own = context;
    own.device = contextDevice();
    own.deviceVersion = contextVersion();
    return own.isOnSameDevice(context);
}

Result<ScheduleMeasurement> DeviceSession::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    ScheduleMeasurement measurement;
    if (measuresStages()) {
        TRY_AS(measurement.stages, stageLatencies(schedule, stop));
    }
    TRY_AS(auto whole, measureWhole(schedule, std::move(stop)));
    measurement.whole = std::move(whole);
    return measurement;
}

Result<std::vector<StageLatency>> DeviceSession::stageLatencies(const Schedule &schedule, const std::stop_token &stop)
{
    std::vector<StageLatency> latencies;
    latencies.reserve(schedule.stages.size());
    for (const Stage &stage : schedule.stages) {
        TRY_AS(auto latency, stageLatency(stage, stop));
        latencies.push_back(std::move(latency));
    }
    return latencies;
}

Result<std::vector<HostTensor>> runOn(DeviceSession &session, const Schedule &schedule, std::vector<HostTensor> inputs,
                                      std::stop_token stop)
{
    Executor *executor = session.executor();
    if (!executor)
        return fail(ErrorCode::WrongUse, "this device does not compute outputs",
                    "use a device that executes, such as cpu");
    return executor->run(schedule, std::move(inputs), std::move(stop));
}

} // namespace stagecraft
