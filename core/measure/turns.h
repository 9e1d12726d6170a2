#pragma once

// Who asks a device next. A device is asked by one thread at a time; what a person waits for goes first, then searches,
// then studies. Studies also wait while any search or measurement of the user is under way, on whatever device: they
// would disturb it. Threads: any.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft {

enum class Urgency { User, Search, Study }; // the most urgent first

class Turns {
public:
    // Ends with the object.
    class [[nodiscard]] Turn {
    public:
        Turn() = default; // none: a stop was requested
        Turn(Turns *turns, const void *device) : m_turns(turns), m_device(device) {}
        Turn(Turn &&other) noexcept : m_turns(std::exchange(other.m_turns, nullptr)), m_device(other.m_device) {}
        Turn &operator=(Turn &&other) = delete;
        ~Turn();

        [[nodiscard]] explicit operator bool() const { return m_turns != nullptr; }

    private:
        Turns *m_turns = nullptr;
        const void *m_device = nullptr;
    };

    // Blocks until the device is free and nobody more urgent waits for it, or a stop is requested: no turn then. A
    // thread that has a turn takes no other.
    Turn take(const void *device, Urgency urgency, const std::stop_token &stop);
    // Somebody more urgent waits for the device.
    [[nodiscard]] bool isWantedMore(const void *device, Urgency than) const;

    // Work of the user or a search begins and ends: studies wait meanwhile.
    void begin(Urgency urgency);
    void end(Urgency urgency);

private:
    struct Waiting {
        const void *device = nullptr;
        Urgency urgency = Urgency::User;
        std::uint64_t ticket = 0;
    };

    [[nodiscard]] bool isNext(const Waiting &waiting) const;
    void giveBack(const void *device);

    mutable std::mutex m_mutex; // protects what follows
    std::condition_variable_any m_changed;
    std::vector<const void *> m_taken; // devices
    std::vector<Waiting> m_waiting;
    std::uint64_t m_tickets = 0;
    int m_pressing = 0; // pieces of work that studies wait for
};

} // namespace stagecraft
