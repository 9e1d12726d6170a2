#pragma once

// The time, and why a search ends early: a stop was requested, or its time is up.

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace stagecraft {

struct SearchClock {
    using Time = std::chrono::steady_clock::time_point;

    std::function<Time()> read; // empty: the steady clock

    [[nodiscard]] Time now() const { return read ? read() : std::chrono::steady_clock::now(); }
};

class Interrupt {
public:
    Interrupt() = default;
    explicit Interrupt(std::stop_token stop, std::optional<double> seconds = {}, SearchClock clock = {})
        : m_stop(std::move(stop)), m_clock(std::move(clock))
    {
        if (seconds && *seconds < kForever)
            m_deadline = m_clock.now() + std::chrono::duration_cast<SearchClock::Time::duration>(
                                             std::chrono::duration<double>(*seconds));
    }

    [[nodiscard]] bool stopRequested() const { return m_stop.stop_requested(); }
    [[nodiscard]] bool timeIsUp() const { return m_deadline && m_clock.now() >= *m_deadline; }
    [[nodiscard]] bool raised() const { return stopRequested() || timeIsUp(); }
    [[nodiscard]] const std::stop_token &token() const { return m_stop; }

private:
    static constexpr double kForever = 1e9; // seconds; longer limits count as none

    std::stop_token m_stop;
    SearchClock m_clock;
    std::optional<SearchClock::Time> m_deadline;
};

} // namespace stagecraft
