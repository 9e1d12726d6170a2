#pragma once

// The clocks a device ran at while something was timed on it, as its driver or the kernel reports them. A clock that
// nobody reported is unknown and never stands for another.

#include <string>

namespace stagecraft {

struct ClockRates {
    int coreMhz = 0; // of a GPU's SMs or of a processor's core; 0: not known
    int memoryMhz = 0;
    std::string slowedBy = {}; // why they were lower than they could be ("power limit"); empty: nothing worth telling

    [[nodiscard]] bool isKnown() const { return coreMhz > 0 || memoryMhz > 0 || !slowedBy.empty(); }

    friend bool operator==(const ClockRates &, const ClockRates &) = default;
};

// "1980 MHz, memory 2619 MHz, slowed by power limit"; empty where nothing is known.
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
