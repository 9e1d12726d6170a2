#pragma once

// The clocks of a device during a measurement, as its driver or the kernel reports them. A clock that is not reported
// is unknown and never replaced by another.

#include <string>

namespace stagecraft {

struct ClockRates {
    int coreMhz = 0; // of a GPU's SMs or a processor's core; 0: unknown
    int memoryMhz = 0;
    std::string slowedBy = {}; // why clocks were reduced ("power limit"); empty: nothing worth reporting

    [[nodiscard]] bool isKnown() const { return coreMhz > 0 || memoryMhz > 0 || !slowedBy.empty(); }

    friend bool operator==(const ClockRates &, const ClockRates &) = default;
};

// "1980 MHz, memory 2619 MHz, slowed by power limit"; empty if nothing is known.
[[nodiscard]] inline std::string toString(const ClockRates &clocks)
{
    std::string text = clocks.coreMhz > 0 ? std::to_string(clocks.coreMhz) + " MHz" : "";
    if (clocks.memoryMhz > 0)
        text += (text.empty() ? "memory " : ", memory ") + std::to_string(clocks.memoryMhz) + " MHz";
    if (!clocks.slowedBy.empty())
        text += (text.empty() ? "slowed by " : ", slowed by ") + clocks.slowedBy;
    return text;
}

} // namespace stagecraft
