#include "gpu/device/clock_warmup.h"

namespace stagecraft::gpu {
namespace {

constexpr std::chrono::milliseconds kIdle{20}; // idle time after which clocks may have fallen

} // namespace

void ClockWarmup::wake(std::chrono::milliseconds duration, const std::function<void()> &work,
                       const std::stop_token &stop)
{
    const auto start = Clock::now();
    if (m_lastWork && start - *m_lastWork < kIdle)
        return;
    while (Clock::now() - start < duration && !stop.stop_requested())
        work();
    worked();
}

} // namespace stagecraft::gpu
