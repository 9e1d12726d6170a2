#pragma once

// Pools of simulated devices that take a while, or are lost now and then.

#include "device/forwarding_session.h"
#include "device/pool/pool_device.h"
#include "device/simulated/simulated_device.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stagecraft::test {

// Of all members together.
struct FakeHardware {
    std::chrono::microseconds delay{0}; // of each stage, simulating it included
    std::atomic<std::int64_t> kills{0}; // how often a member is still to be lost
    std::int64_t killEach = 0;          // the answer after which one is lost
    std::atomic<std::int64_t> answers{0};
    std::atomic<std::int64_t> killed{0};
    std::string slowMember{}; // takes `times` as long
    double times = 1;
    bool staysLost = false;
    bool refusesConcurrent = false; // every member refuses stages of several groups
};

class FakeMemberSession : public ForwardingSession {
public:
    FakeMemberSession(std::unique_ptr<DeviceSession> session, FakeHardware &hardware, double times)
        : ForwardingSession(std::move(session)), m_hardware(hardware), m_times(times)
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (m_hardware.refusesConcurrent && question.stage.groups.size() > 1)
            return fail(ErrorCode::DeviceFailed, "no stage of several groups");
        return late([&] { return ForwardingSession::stageLatency(question, stop); });
    }
    Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override
    {
        return late([&] { return ForwardingSession::measureStage(stage, stop); });
    }
    bool isLost() const override { return m_isLost; }

private:
    template <typename Ask>
    Result<StageLatency> late(const Ask &ask)
    {
        const auto end = std::chrono::steady_clock::now() + m_hardware.delay;
        const bool isKilled = m_hardware.killEach > 0 && ++m_hardware.answers % m_hardware.killEach == 0 &&
                              m_hardware.kills.fetch_sub(1) > 0;
        if (m_isLost || isKilled) {
            m_isLost = true;
            ++m_hardware.killed;
            return fail(ErrorCode::DeviceFailed, "the worker was killed");
        }
        auto answer = ask();
        std::this_thread::sleep_until(end);
        if (answer)
            answer->timing = Timing::ofLatency(answer->timing.latencyUs * m_times);
        return answer;
    }

    FakeHardware &m_hardware;
    double m_times;
    bool m_isLost = false;
};

class FakeMember : public Device {
public:
    FakeMember(std::unique_ptr<Device> device, FakeHardware &hardware, std::string id)
        : m_device(std::move(device)), m_hardware(hardware), m_id(std::move(id))
    {
    }

    DeviceInfo info() const override
    {
        DeviceInfo info = m_device->info();
        info.id = m_id;
        return info;
    }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        if (m_hardware.staysLost && m_hardware.killed > 0)
            return fail(ErrorCode::DeviceFailed, "the machine does not answer");
        TRY_AS(auto session, m_device->open(std::move(graph)));
        return std::make_unique<FakeMemberSession>(std::move(session), m_hardware,
                                                   m_id == m_hardware.slowMember ? m_hardware.times : 1);
    }

private:
    std::unique_ptr<Device> m_device;
    FakeHardware &m_hardware;
    std::string m_id;
};

// Members "a", "b", ... like sim:v100.
inline Result<std::unique_ptr<Device>> fakePool(std::size_t count, FakeHardware &hardware, PoolOptions options = {})
{
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i)
        ids.emplace_back(1, static_cast<char>('a' + i));
    return makePool(
        "fake", ids,
        [&hardware](const std::string &id) -> Result<std::unique_ptr<Device>> {
            TRY_AS(auto device, openSimulatedDevice("v100"));
            return std::make_unique<FakeMember>(std::move(device), hardware, id);
        },
        std::move(options));
}

} // namespace stagecraft::test
