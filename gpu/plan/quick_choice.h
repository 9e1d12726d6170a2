#pragma once

// Chooses the fastest few of many candidates, the most promising first, without timing the slow ones for long.

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::gpu {

struct CandidateTimes {
    // Microseconds of one run handed over directly: what the host needs for that may be in it.
    std::function<std::optional<double>(std::size_t candidate)> directUs;
    // Of one run among replays of a graph, the median of so many replays.
    std::function<std::optional<double>(std::size_t candidate, int replays)> replayedUs;
};

struct TimedCandidate {
    std::size_t index = 0;
    double timeUs = 0;

    friend bool operator==(const TimedCandidate &, const TimedCandidate &) = default;
};

// Best first. A candidate that has no time does not work; of one that is far slower than another already was, no graph
// is made.
[[nodiscard]] std::vector<TimedCandidate> fastestOf(std::size_t candidates, const CandidateTimes &times);

} // namespace stagecraft::gpu
