#pragma once

// A simulated device that calls itself a measuring one: its latencies carry a little noise, and it has a fingerprint,
// so that latencies can be stored for it.

#include "desktop/work/services.h"
#include "wiring/device_catalog.h"

#include <functional>
#include <memory>
#include <utility>

namespace stagecraft::test {

inline DeviceInfo asMeasuring(DeviceInfo info)
{
    info.provenance = Provenance::Measured;
    info.fingerprint = "a device of a test";
    return info;
}

// How many times longer a whole schedule takes than its stages say.
using Longer = std::function<double(const Schedule &)>;

class NoisySession : public DeviceSession {
public:
    NoisySession(std::unique_ptr<DeviceSession> inner, Longer longer)
        : m_inner(std::move(inner)), m_longer(std::move(longer))
    {
    }

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
            whole->timing = Timing::ofLatency(whole->timing.latencyUs * noise() * (m_longer ? m_longer(schedule) : 1));
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
    Longer m_longer;
    int m_measured = 0;
};

class NoisyDevice : public Device {
public:
    NoisyDevice(std::unique_ptr<Device> inner, Longer longer) : m_inner(std::move(inner)), m_longer(std::move(longer))
    {
    }

    DeviceInfo info() const override { return asMeasuring(m_inner->info()); }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        auto session = m_inner->open(std::move(graph));
        if (!session)
            return session;
        return std::make_unique<NoisySession>(std::move(*session), m_longer);
    }

private:
    std::unique_ptr<Device> m_inner;
    Longer m_longer;
};

inline Services noisyEngine(const Longer &longer = {})
{
    Services services = installedServices();
    services.findDevice = [longer](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device)
            return device;
        return std::make_unique<NoisyDevice>(std::move(*device), longer);
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
