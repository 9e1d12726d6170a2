#pragma once

// Requests a stop when some time is over, for what polls a token and knows no clock.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace stagecraft {

class StopAfter {
public:
    // Without seconds, never.
    explicit StopAfter(std::optional<double> seconds)
    {
        constexpr double kForever = 1e9; // longer limits count as none
        if (seconds && *seconds < kForever)
            m_thread = std::jthread([this, seconds = *seconds](const std::stop_token &ends) { wait(seconds, ends); });
    }

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    [[nodiscard]] bool isOver() const { return m_stop.stop_requested(); }
    [[nodiscard]] double elapsedSeconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

private:
    void wait(double seconds, const std::stop_token &ends)
    {
        std::mutex mutex;
        std::condition_variable_any over;
        std::unique_lock lock(mutex);
        over.wait_for(lock, ends, std::chrono::duration<double>(seconds), [] { return false; });
        if (!ends.stop_requested())
            m_stop.request_stop();
    }

    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::stop_source m_stop;
    std::jthread m_thread; // last member: ends before what it uses
};

} // namespace stagecraft
