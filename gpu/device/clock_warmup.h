#pragma once

// An idle GPU runs at a fraction of its clock, and takes a while to speed up.

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace stagecraft::gpu {

class ClockWarmup {
public:
    // Runs `work` for this long if the GPU was idle: before something is timed.
    void wake(std::chrono::milliseconds duration, const std::function<void()> &work, const std::stop_token &stop = {});
    void worked() { m_lastWork = Clock::now(); } // until now

private:
    using Clock = std::chrono::steady_clock;

    std::optional<Clock::time_point> m_lastWork;
};

} // namespace stagecraft::gpu
