#pragma once

// How long a worker may take to answer, and to be silent, counting only time in which it could run. A worker is not
// given up because the machine was suspended, the program or the worker was stopped (SIGSTOP, a debugger), or the
// machine is so loaded that the worker does not get to run.

#include <chrono>

namespace stagecraft::worker {

class Watchdog {
public:
    using Duration = std::chrono::steady_clock::duration;

    enum class Verdict {
        Wait,
        Stopped, // it cannot answer until it continues: wait
        Overdue,
        Silent,
    };

    // Time counts from here.
    Watchdog(int pid, Duration deadline, Duration silence);

    void heard();                  // call for each message from the worker
    void restart();                // starts the deadline again
    void endWithin(Duration left); // sets a final limit, whatever the worker is doing

    // Call it often while nothing comes from the worker.
    [[nodiscard]] Verdict judge();

private:
    void tick();
    // Whether it wants to run but has used less than `limit` of processor time since it had used `before`.
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
