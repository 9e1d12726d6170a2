#pragma once

// The GPU's clocks, read through NVML, never changed. NVML comes with the driver and is loaded at run time; without it
// clocks are unknown and everything else works.

#include "timing/clock_rates.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace stagecraft::gpu {

struct ClockReading {
    unsigned smMHz = 0;
    unsigned memoryMHz = 0;
    unsigned temperature = 0; // degrees Celsius
    std::string slowedBy;     // why the clocks are reduced; empty: nothing worth reporting
};

class Clocks {
public:
    // `pciBusId` as CUDA writes it: "0000:3b:00.0".
    explicit Clocks(const std::string &pciBusId, const char *library = "libnvidia-ml.so.1");
    ~Clocks();
    Clocks(Clocks &&) noexcept;
    Clocks &operator=(Clocks &&) noexcept;

    [[nodiscard]] std::optional<ClockReading> read() const;
    [[nodiscard]] std::string driverVersion() const; // empty: unknown
    // How the clocks are controlled: "application clocks 1980/3201 MHz", "default". Part of a device's fingerprint.
    [[nodiscard]] std::string policy() const;

private:
    struct Nvml;
    std::unique_ptr<Nvml> m_nvml;
};

// Reads the clocks during timing, and notices when they are reduced.
class ClockWatch {
public:
    explicit ClockWatch(Clocks clocks) : m_clocks(std::move(clocks)) {}

    [[nodiscard]] ClockRates read();
    // What to tell a person about the readings since the last call: once per reason. Mostly empty.
    [[nodiscard]] std::string news();

private:
    Clocks m_clocks;
    std::optional<ClockReading> m_slowed;
    std::string m_told;
};

// Text for the bits that NVML gives as reasons for low clocks (nvml.h, nvmlClocksEventReasons). Idle clocks and clocks
// set by an application are not reported.
[[nodiscard]] std::string slowdownText(unsigned long long reasons);

} // namespace stagecraft::gpu
