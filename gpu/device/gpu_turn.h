#pragma once

// One at a time on a GPU: a search, a timeline and another window's measurement in processes of their own would time
// each other, and sampling counters holds the clocks. Held while something is measured, profiled or executed; let go by
// the system when a process ends.

#include <stop_token>
#include <string>

namespace stagecraft::gpu {

class GpuTurn {
public:
    // Waits until the turn is free or a stop is requested. Where no lock file can be opened, nobody is waited for.
    // `gpu`: what tells this GPU from others of the machine, as its PCI bus id.
    GpuTurn(const std::string &gpu, const std::stop_token &stop);
    ~GpuTurn();
    GpuTurn(const GpuTurn &) = delete;
    GpuTurn &operator=(const GpuTurn &) = delete;

    // False: stopped before.
    [[nodiscard]] bool isMine() const { return m_isMine; }

private:
    int m_file = -1;
    bool m_isMine = false;
};

} // namespace stagecraft::gpu
