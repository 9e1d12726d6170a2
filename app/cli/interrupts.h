#pragma once

// What Ctrl+C, a request to end and a closed terminal do (SIGINT, SIGTERM, SIGHUP). A command that can show partial
// results listens: the first signal asks it to stop, a second one ends the program. Otherwise the first signal ends the
// program at once, since files are written all or nothing; connections to other machines and jobs in queues are ended
// (support/child_process.h). Signals that were ignored when the program started (nohup,
// background jobs of a script) stay ignored.
//
// Signals are blocked in every thread and received by a dedicated one, so that no code runs in a signal handler.

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace stagecraft {

class Interrupts {
public:
    // Create it before any other thread starts.
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts &) = delete;
    Interrupts &operator=(const Interrupts &) = delete;

    class Listening {
    public:
        explicit Listening(std::atomic<int> &listeners) : m_listeners(listeners) { ++m_listeners; }
        ~Listening() { --m_listeners; }
        Listening(const Listening &) = delete;
        Listening &operator=(const Listening &) = delete;

    private:
        std::atomic<int> &m_listeners;
    };
    // While the returned object lives, the token must be polled.
    [[nodiscard]] Listening listen() { return Listening(m_listeners); }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

private:
    void watch();

    sigset_t m_signals{};
    std::stop_source m_stop;
    std::atomic<int> m_listeners = 0;
    std::thread m_thread;
};

} // namespace stagecraft
