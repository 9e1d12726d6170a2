#pragma once

// A device whose searches proceed only as far as a test allows, so that running searches can be inspected. Schedules
// are measured at once.

#include "desktop/work/services.h"
#include "wiring/device_catalog.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace stagecraft::test {

// Limits how many more stages a search may request.
class Gate {
public:
    void allow(int stages)
    {
        const std::scoped_lock lock(m_mutex);
        m_allowed += stages;
        m_changed.notify_all();
    }
    void open() { allow(1'000'000'000); }

    // As if another program had its turn on the device while the gate is closed.
    void setWait(std::optional<DeviceWait> wait)
    {
        const std::scoped_lock lock(m_mutex);
        m_wait = std::move(wait);
    }
    [[nodiscard]] std::optional<DeviceWait> wait() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_wait;
    }

    // Returns false if a stop was requested.
    bool pass(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, stop, [this] { return m_allowed > 0; }))
            return false;
        --m_allowed;
        return true;
    }

private:
    mutable std::mutex m_mutex; // protects m_allowed and m_wait
    std::condition_variable_any m_changed;
    int m_allowed = 0;
    std::optional<DeviceWait> m_wait;
};

// Changes measurements of whole schedules for a test.
using Retouch = std::function<void(ScheduleMeasurement &)>;

class GatedSession : public DeviceSession {
public:
    GatedSession(std::unique_ptr<DeviceSession> inner, std::shared_ptr<Gate> gate, Retouch retouch,
                 Device::Waiting waiting)
        : m_inner(std::move(inner)), m_gate(std::move(gate)), m_retouch(std::move(retouch)),
          m_waiting(std::move(waiting))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        const auto wait = m_waiting ? m_gate->wait() : std::nullopt;
        if (wait)
            m_waiting(wait);
        const bool passes = m_gate->pass(stop);
        if (wait)
            m_waiting(std::nullopt);
        if (!passes)
            return fail(ErrorCode::Cancelled, "stopped");
        return m_inner->stageLatency(question, stop);
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        return m_inner->measureWhole(schedule, stop);
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        auto measurement = m_inner->measureSchedule(schedule, stop);
        if (measurement && m_retouch)
            m_retouch(*measurement);
        return measurement;
    }
    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        return m_inner->timeline(schedule, stop);
    }
    BoundaryCost boundaryCost() const override { return m_inner->boundaryCost(); }

private:
    std::unique_ptr<DeviceSession> m_inner;
    std::shared_ptr<Gate> m_gate;
    Retouch m_retouch;
    Device::Waiting m_waiting;
};

class GatedDevice : public Device {
public:
    GatedDevice(std::unique_ptr<Device> inner, std::shared_ptr<Gate> gate, Retouch retouch)
        : m_inner(std::move(inner)), m_gate(std::move(gate)), m_retouch(std::move(retouch))
    {
    }

    DeviceInfo info() const override { return m_inner->info(); }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        auto session = m_inner->open(std::move(graph));
        if (!session)
            return session;
        return std::make_unique<GatedSession>(std::move(*session), m_gate, m_retouch, m_waiting);
    }

private:
    std::unique_ptr<Device> m_inner;
    std::shared_ptr<Gate> m_gate;
    Retouch m_retouch;
};

inline Services gatedEngine(const std::shared_ptr<Gate> &gate, const Retouch &retouch = {})
{
    Services services = installedServices();
    services.findDevice = [gate, retouch](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device)
            return device;
        return std::make_unique<GatedDevice>(std::move(*device), gate, retouch);
    };
    return services;
}

} // namespace stagecraft::test
