#pragma once

// Launches of streams that run side by side, handed out to the lanes of a team: a lane gets the first one in launch
// order for which nothing has to be waited for any more. A lane that finds none waits for the others. Where a launch is
// the only one that may run, nothing can begin before it ends: it is for all lanes together.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::cpu {

class LaunchQueue {
public:
    // By launch: those that wait for its end. Each waits for launches that come before it.
    explicit LaunchQueue(std::vector<std::vector<std::uint32_t>> after);

    // The three below: while no lane is at work.
    void begin(); // of each run
    [[nodiscard]] bool isEmpty();
    [[nodiscard]] std::optional<std::size_t> takeOnlyOne();

    // The next launch for a lane, which calls done when it has ended; empty: nobody runs, and at most one launch may.
    [[nodiscard]] std::optional<std::size_t> take();
    // `last` is called before any launch that waits for this one, and for one launch at a time.
    template <typename Last>
    void done(std::size_t launch, const Last &last)
    {
        {
            const std::scoped_lock lock(m_mutex);
            last();
            for (const std::uint32_t next : m_after[launch])
                --m_waitsFor[next];
            --m_running;
            --m_left;
        }
        m_ended.fetch_add(1, std::memory_order_release);
        m_ended.notify_all();
    }

private:
    struct Ready {
        std::optional<std::size_t> first;
        bool isOnlyOne = false;
    };
    [[nodiscard]] Ready ready(); // with the mutex
    void take(std::size_t launch);

    std::vector<std::vector<std::uint32_t>> m_after;
    std::vector<std::uint32_t> m_waitsForAtFirst; // by launch: how many
    std::mutex m_mutex;                           // of what follows, but the last
    std::vector<std::uint32_t> m_waitsFor;
    std::vector<bool> m_isTaken;
    std::size_t m_first = 0; // all before are taken
    std::size_t m_running = 0;
    std::size_t m_left = 0; // that have not ended
    std::atomic<std::uint32_t> m_ended = 0;
};

} // namespace stagecraft::cpu
