#pragma once

// A GPU that had nothing to do runs at a fraction of its clock, and takes a while to get up to speed.

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace stagecraft::gpu {

class ClockWarmup {
public:
    // Gives it work for so long, where it had none lately: before something is timed.
    void wake(std::chrono::milliseconds duration, const std::function<void()> &work, const std::stop_token &stop = {});
    void worked() { m_lastWork = Clock::now(); } // until now

private:
    using Clock = std::chrono::steady_clock;

    std::optional<Clock::time_point> m_lastWork;
};

} // namespace stagecraft::gpu
