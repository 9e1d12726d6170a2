#pragma once

// One at a time on the hardware of a measuring device: a search, a timeline and another window's measurement in
// processes of their own would time each other, and sampling a GPU's counters holds its clocks. Held while something is
// measured, profiled or executed; first come, first served; let go by the system when a process ends.

#include <filesystem>
#include <stop_token>
#include <string_view>

namespace stagecraft {

class DeviceLock {
public:
    // Waits until the lock is free or a stop is requested. Where no lock file can be opened (a link or a pipe lies in
    // its place), nobody is waited for. `hardware`: LocalHardware::name(); empty: no lock is needed.
    DeviceLock(std::string_view hardware, const std::stop_token &stop);
    ~DeviceLock();
    DeviceLock(const DeviceLock &) = delete;
    DeviceLock &operator=(const DeviceLock &) = delete;

    // False: stopped before.
    [[nodiscard]] bool isHeld() const { return m_isHeld; }

    // False: no lock file can be made, nobody is waited for.
    [[nodiscard]] static bool canBeTaken(std::string_view hardware);

    // In $TMPDIR, or else in /tmp: programs that do not see the same folder do not wait for each other.
    // The lock files: of who holds it, and of who is next.
    [[nodiscard]] static std::filesystem::path holderFile(std::string_view hardware);
    [[nodiscard]] static std::filesystem::path queueFile(std::string_view hardware);

private:
    int m_file = -1;
    bool m_isHeld = false;
};

} // namespace stagecraft
