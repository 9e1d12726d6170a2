#pragma once

// Why a search ends before it is through: a stop was requested, or its time is up.

#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>

namespace stagecraft {

class Interrupt {
public:
    using Clock = std::chrono::steady_clock;

    Interrupt() = default;
    explicit Interrupt(std::stop_token stop, std::optional<double> seconds = {}) : m_stop(std::move(stop))
    {
        if (seconds && *seconds < kForever)
            m_deadline =
                Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    }

    [[nodiscard]] bool stopRequested() const { return m_stop.stop_requested(); }
    [[nodiscard]] bool timeIsUp() const { return m_deadline && Clock::now() >= *m_deadline; }
    [[nodiscard]] bool raised() const { return stopRequested() || timeIsUp(); }
    [[nodiscard]] const std::stop_token &token() const { return m_stop; }

private:
    static constexpr double kForever = 1e9; // seconds; beyond it a deadline is none

    std::stop_token m_stop;
    std::optional<Clock::time_point> m_deadline;
};

} // namespace stagecraft
