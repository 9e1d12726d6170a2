#pragma once

// A lock on the hardware of a measuring device: a search, a timeline and another window's measurement, each in its own
// process, would disturb each other's timings, and sampling a GPU's counters locks its clocks. Held while measuring,
// profiling or executing; first come, first served. The system releases it when a process ends.

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>

namespace stagecraft {

class DeviceLock {
public:
    // Waits until the lock is free or a stop is requested. If no lock file can be opened (a link or a pipe is in its
    // place), it does not wait. `hardware`: LocalHardware::name(); empty: no lock is needed.
    DeviceLock(std::string_view hardware, const std::stop_token &stop);
    ~DeviceLock();
    DeviceLock(const DeviceLock &) = delete;
    DeviceLock &operator=(const DeviceLock &) = delete;

    // False: stopped while waiting.
    [[nodiscard]] bool isHeld() const { return m_isHeld; }

    // False: no lock file can be created, so nobody waits for anybody.
    [[nodiscard]] static bool canBeTaken(std::string_view hardware);

    // The process that has the lock now. Empty: none has, or it is in another container and has no number here.
    [[nodiscard]] static std::optional<int> holder(std::string_view hardware);

    // In $TMPDIR or else /tmp; programs with different folders do not wait for each other. One file is locked by the
    // holder, the other by the next in line.
    [[nodiscard]] static std::filesystem::path holderFile(std::string_view hardware);
    [[nodiscard]] static std::filesystem::path queueFile(std::string_view hardware);

private:
    int m_file = -1;
    bool m_isHeld = false;
};

} // namespace stagecraft
