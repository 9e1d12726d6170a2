#pragma once

// The progress of a running search.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace stagecraft {

struct SearchProgress {
    std::size_t block = 0; // number of spaces built, minus one: the search itself covers all blocks together
    std::size_t blocks = 0;
    std::int64_t statesDone = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t stagesRepeated = 0; // among the measurements: of stages with a stored, but disturbed latency
    std::int64_t cacheHits = 0;
    std::int64_t stagesNotKnown = 0; // as many could still be asked for; most searches need far fewer
    double bestUs = 0;               // best whole schedule so far
    double lowerBoundUs = 0;
    double elapsedSeconds = 0;
};

using SearchProgressCallback = std::function<void(const SearchProgress &)>;

} // namespace stagecraft
