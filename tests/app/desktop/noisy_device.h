#pragma once

// A simulated device that calls itself a measuring one: its latencies carry a little noise, and it has a fingerprint,
// so that latencies can be stored for it.

#include "desktop/jobs.h"
#include "services/device_catalog.h"

#include <memory>
#include <utility>

namespace stagecraft::test {

inline DeviceInfo asMeasuring(DeviceInfo info)
{
    info.provenance = Provenance::Measured;
    info.fingerprint = "a device of a test";
    return info;
}

class NoisySession : public DeviceSession {
public:
    explicit NoisySession(std::unique_ptr<DeviceSession> inner) : m_inner(std::move(inner)) {}

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        return m_inner->stageLatency(question, stop);
    }
    Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override
    {
        auto latency = m_inner->stageLatency(stage, stop);
        if (latency)
            latency->timing = Timing::ofLatency(latency->timing.latencyUs * noise());
        return latency;
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        auto whole = m_inner->measureWhole(schedule, stop);
        if (whole)
            whole->timing = Timing::ofLatency(whole->timing.latencyUs * noise());
        return whole;
    }
    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        return m_inner->timeline(schedule, stop);
    }
    BoundaryCost boundaryCost() const override { return m_inner->boundaryCost(); }
    bool isNoisy() const override { return true; }

private:
    double noise() { return 1 + 0.0004 * (m_measured++ % 5); }

    std::unique_ptr<DeviceSession> m_inner;
    int m_measured = 0;
};

class NoisyDevice : public Device {
public:
    explicit NoisyDevice(std::unique_ptr<Device> inner) : m_inner(std::move(inner)) {}

    DeviceInfo info() const override { return asMeasuring(m_inner->info()); }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        auto session = m_inner->open(std::move(graph));
        if (!session)
            return session;
        return std::make_unique<NoisySession>(std::move(*session));
    }

private:
    std::unique_ptr<Device> m_inner;
};

inline Services noisyEngine()
{
    Services services = installedServices();
    services.findDevice = [](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device)
            return device;
        return std::make_unique<NoisyDevice>(std::move(*device));
    };
    services.listDevices = [] {
        std::vector<DeviceInfo> devices;
        for (DeviceInfo &info : listDevices())
            devices.push_back(asMeasuring(std::move(info)));
        return devices;
    };
    return services;
}

} // namespace stagecraft::test
