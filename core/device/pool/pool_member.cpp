#include "device/pool/pool_member.h"

#include "support/error_text.h"

#include <utility>

namespace stagecraft {

void PoolMember::opened(Result<std::unique_ptr<DeviceSession>> made, std::chrono::milliseconds firstPause)
{
    wait.reset();
    isTried = true;
    if (!made) {
        trouble = made.error();
        counts.leftOut = errorText(made.error());
        return;
    }
    hasAnswered = false;
    session = std::move(*made);
    isOpen = true;
    trouble.reset();
    counts.leftOut.clear();
    pause = firstPause;
}

void PoolMember::forget()
{
    isOpen = false;
    wait.reset();
    if (std::exchange(errand, nullptr)) {
        isDone = true;
        isAnswered = false;
    }
    isCompared = false;
    inCommon.clear();
}

void PoolMember::lose(Error why)
{
    forget();
    isTried = !hasAnswered;
    ++counts.timesLost;
    counts.leftOut = errorText(why);
    trouble = std::move(why);
}

void PoolMember::takeOut()
{
    forget();
    isLeftOut = false;
    counts.leftOut = "it was taken out of the pool";
    trouble = Error{ErrorCode::DeviceFailed, counts.leftOut, {}, {}};
}

void PoolMember::leaveOut(std::string why)
{
    isLeftOut = true;
    trouble = Error{ErrorCode::DeviceFailed, why, {}, {}};
    counts.leftOut = std::move(why);
}

TimedInCommon PoolMember::timedInCommon() const
{
    TimedInCommon timed{counts.device, {}};
    for (const StageLatency &latency : inCommon)
        timed.latenciesUs.push_back(latency.timing.latencyUs);
    return timed;
}

} // namespace stagecraft
