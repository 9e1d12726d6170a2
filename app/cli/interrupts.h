#pragma once

// What Ctrl+C, a request to end and a closed terminal do (SIGINT, SIGTERM, SIGHUP). A command that can stop halfway and
// has something to show for it listens: the first signal asks it to stop, a second one ends the program. Everywhere
// else the first signal ends the program at once, for files are written all or nothing. Signals the program was started
// to ignore (nohup, background jobs of a script) stay ignored.
//
// Signals are blocked in every thread and taken by one of its own, so that no code runs in a signal handler.

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace stagecraft {

class Interrupts {
public:
    // Before any other thread is started.
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
    // As long as what is returned lives, somebody polls the token.
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
