#pragma once

// Where time goes. Every moment of a timeline is divided by what its kernels and counters say: arithmetic at its peak
// rate, memory at its peak bandwidth, units without work (SMs of a GPU, cores of a CPU), units that have work but wait,
// nothing running in a stage or between two. What a timeline does not say is a part of its own and never guessed:
// without counters, the time in which kernels run. All times in microseconds.

#include "timing/timeline/timeline.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class TimePart {
    Arithmetic, // of its peak rate, where arithmetic is nearer to its peak than memory
    Memory,     // of its peak bandwidth, where memory is nearer
    Waiting,    // units have work that reaches neither peak: latency of memory and of dependent instructions
    IdleUnits,  // SMs or cores without work, where neither peak is reached; also while a stage's last group runs alone
    Launch,     // nothing runs in a stage: launches and ramps; of a timeline without stages: gaps between its kernels
    BetweenStages, // nothing runs between two stages: the barrier, and the first launch after it
    NotExplained,  // kernels run, and no counter says what reaches which peak; of a latency: what its timeline lacks
};

inline constexpr std::size_t kTimeParts = 7;

struct TimeParts {
    std::array<double, kTimeParts> us{}; // by part; their sum is the time

    [[nodiscard]] double of(TimePart part) const { return us[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double &of(TimePart part) { return us[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double totalUs() const;
    TimeParts &operator+=(const TimeParts &other);
};

// What the timeline can tell apart.
struct TimePartSources {
    bool arithmetic = false;
    bool memory = false;
    bool units = false;
    bool areCores = false; // units: cores of a CPU, not SMs
    bool gaps = true;      // when nothing ran

    [[nodiscard]] bool has(TimePart part) const; // in a stage
};

[[nodiscard]] TimePartSources timePartSources(const Timeline &timeline);
// Empty: nothing tells, and what there is of it is not explained.
[[nodiscard]] std::optional<double> knownUs(const TimeParts &parts, const TimePartSources &sources, TimePart part);

// Every nanosecond of a timeline once: all parts add up to its duration.
struct TimelineParts {
    std::vector<TimeParts> stages;  // in its order; where stages overlap, time counts for the earlier
    std::vector<TimeParts> between; // before each stage, and after the last one
};

// Linear in kernels and samples. Without kernels (recorded latencies) nothing says what ran when.
[[nodiscard]] TimelineParts timelineParts(const Timeline &timeline);
[[nodiscard]] std::vector<TimeParts> timeParts(const Timeline &timeline); // those of its stages

// From one time to another, part by part.
struct TimeStep {
    TimePart part = TimePart::Arithmetic;
    double fromUs = 0; // what the steps before it have reached
    double toUs = 0;

    [[nodiscard]] double changeUs() const { return toUs - fromUs; }
};

// One step for each part that either has, in their order: the first starts at the total of `from`, the last one ends at
// that of `to`.
[[nodiscard]] std::vector<TimeStep> timeSteps(const TimeParts &from, const TimeParts &to);

// "arithmetic", "memory", "waiting", "idle_sms" or "idle_cores", "launch", "between_stages", "not_explained": keys of
// files.
[[nodiscard]] std::string_view timePartKey(TimePart part, const TimePartSources &sources);
// The same in words: "idle SMs", "between stages".
[[nodiscard]] std::string_view timePartText(TimePart part, const TimePartSources &sources);

} // namespace stagecraft
