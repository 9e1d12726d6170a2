#pragma once

// Where the time of each stage goes. Every moment of a stage is divided by what its counters say: no work on the
// device, arithmetic at its peak rate, memory at its peak rate, units without work (SMs of a GPU, cores of a CPU), and
// units that have work but wait. Counters a device does not have leave their part in `waitingUs`.

#include "timing/timeline/timeline.h"

#include <array>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class TimePart {
    Arithmetic, // of its peak rate, where arithmetic is nearer to its peak than memory
    Memory,     // of its peak bandwidth, where memory is nearer
    Waiting,    // units have work that reaches neither peak: latency of memory and of dependent instructions
    IdleUnits,  // SMs or cores without work, where neither peak is reached
    Launch,     // nothing runs: launches, ramps and barriers
};

inline constexpr std::size_t kTimeParts = 5;

struct TimeParts {
    std::array<double, kTimeParts> us{}; // by part; their sum is the stage's time

    [[nodiscard]] double of(TimePart part) const { return us[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double totalUs() const;
    TimeParts &operator+=(const TimeParts &other);
};

// What the timeline's counters can tell apart.
struct TimePartSources {
    bool arithmetic = false;
    bool memory = false;
    bool units = false;
    bool areCores = false; // units: cores of a CPU, not SMs

    [[nodiscard]] bool has(TimePart part) const;
};

[[nodiscard]] TimePartSources timePartSources(const Timeline &timeline);

// One per stage of the timeline, in its order. Linear in kernels and samples.
[[nodiscard]] std::vector<TimeParts> timeParts(const Timeline &timeline);

// "arithmetic", "memory", "waiting", "idle_sms" or "idle_cores", "launch": keys of files.
[[nodiscard]] std::string_view timePartKey(TimePart part, const TimePartSources &sources);

} // namespace stagecraft
