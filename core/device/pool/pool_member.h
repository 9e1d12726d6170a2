#pragma once

// What a pool knows of one of its members (device/pool/pool_work.h). Threads: the lock of the pool protects it, but for
// the session, which its thread alone uses.

#include "device/device.h"
#include "device/pool/common_stages.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace stagecraft {

// Opens the member's device anew, on the thread of the member.
using OpenMember = std::function<Result<std::unique_ptr<DeviceSession>>(Device::Waiting)>;

// True: it was answered, or refused for a reason of its own.
using PoolErrand = std::function<bool(DeviceSession &)>;

struct PoolMember {
    OpenMember openDevice;
    std::unique_ptr<DeviceSession> session;
    MemberCounts counts;
    bool isOpen = false;
    bool isTried = false;     // to open it, since it was lost
    bool hasAnswered = false; // since it was opened
    bool isLeftOut = false;   // it disagrees
    bool isTakenOut = false;
    std::optional<Error> trouble;
    std::chrono::milliseconds pause{};  // before it is tried again
    std::vector<StageLatency> inCommon; // by stage in common; a latency of 0: refused
    bool isCompared = false;
    const PoolErrand *errand = nullptr;
    bool isDone = false; // the errand
    bool isAnswered = false;
    std::optional<std::stop_source> underWay; // of the stage
    std::optional<DeviceWait> wait;
    std::jthread thread;

    [[nodiscard]] bool works() const { return isOpen && !isLeftOut && !isTakenOut; }
    // One that was lost has one attempt to come back before that.
    [[nodiscard]] bool isOut() const { return isLeftOut || isTakenOut || (!isOpen && isTried); }

    // What came of opening its device; `firstPause`: if it is lost from now on.
    void opened(Result<std::unique_ptr<DeviceSession>> made, std::chrono::milliseconds firstPause);
    // What is known of its session, which ends.
    void forget();
    // Its device is lost.
    void lose(Error why);
    void takeOut();
    void leaveOut(std::string why);

    [[nodiscard]] TimedInCommon timedInCommon() const;
};

} // namespace stagecraft
