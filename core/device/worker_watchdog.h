#pragma once

// How long a worker may take to answer, and how long it may be silent, in time that it had. A machine that was
// suspended, a program or a worker that was stopped (SIGSTOP, a debugger) and a machine so loaded that the worker does
// not get to run are no reason to give it up: no answer came because nothing ran.

#include <chrono>

namespace stagecraft::worker {

class Watchdog {
public:
    using Duration = std::chrono::steady_clock::duration;

    enum class Verdict {
        Wait,
        Stopped, // it cannot answer before it goes on: wait
        Overdue,
        Silent,
    };

    // From now on.
    Watchdog(int pid, Duration deadline, Duration silence);

    void heard();                  // from the worker
    void restart();                // the time allowed begins anew
    void endWithin(Duration left); // whatever the worker is doing

    // To be asked often, when nothing has come from the worker.
    [[nodiscard]] Verdict judge();

private:
    void tick();
    // Whether it used less than `limit` of processor time since it had used `before` and could use more at once.
    [[nodiscard]] bool isStarved(Duration before, Duration limit) const;

    int m_pid;
    Duration m_deadline;
    Duration m_silence;
    bool m_isFinal = false;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
    Duration m_spent{};
    Duration m_quiet{};
    Duration m_usedAtStart; // processor time of the worker
    Duration m_usedWhenHeard;
};

} // namespace stagecraft::worker
