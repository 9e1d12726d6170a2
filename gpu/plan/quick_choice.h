#pragma once

// Chooses the fastest few of many candidates, most promising first, without spending much time on slow ones.

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::gpu {

struct CandidateTimes {
    // Microseconds of one direct run; may include host time.
    std::function<std::optional<double>(std::size_t candidate)> directUs;
    // Microseconds of one run in replays of a graph: the median of `replays` replays.
    std::function<std::optional<double>(std::size_t candidate, int replays)> replayedUs;
};

struct TimedCandidate {
    std::size_t index = 0;
    double timeUs = 0;

    friend bool operator==(const TimedCandidate &, const TimedCandidate &) = default;
};

// Best first. A candidate without a time does not work; no graph is made for one that is far slower than another.
[[nodiscard]] std::vector<TimedCandidate> fastestOf(std::size_t candidates, const CandidateTimes &times);

} // namespace stagecraft::gpu
