#pragma once

// Holds back work that may wait: closed while searches and measurements of the user run. Threads: any.

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace stagecraft {

class WorkGate {
public:
    void setOpen(bool open)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_isOpen = open;
        }
        m_changed.notify_all();
    }

    // Until the gate is open or a stop is requested.
    void pass(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [this] { return m_isOpen; });
    }

private:
    std::mutex m_mutex; // protects m_isOpen
    std::condition_variable_any m_changed;
    bool m_isOpen = true;
};

} // namespace stagecraft
