#pragma once

// When the launches of a stream schedule have ended, by a timeline: in launch order, so that what two cuts have between
// them takes the time from when all before the first has ended until all before the second has. Microseconds.

#include "schedule/streams/streams.h"
#include "timing/timeline/timeline.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct StreamTimes {
    // By launch: from when all before it in launch order have ended until it has, too; 0 where it ended earlier.
    std::vector<double> us;
    // By launch: when the launch before it on its stream has ended, and when those have, too, that it has events for.
    std::vector<double> freeUs;
    std::vector<double> readyUs;

    // What streams wait for events while launches [first, end) run, for one of them or the one after them, added up:
    // from when all before them have ended until they have, too.
    [[nodiscard]] double eventUs(std::size_t first, std::size_t end) const;
};

// Empty: the timeline has no kernels. An operator without kernels ends when all before it have.
[[nodiscard]] std::optional<StreamTimes> streamTimes(const Streams &streams, const Timeline &timeline);

// The timeline with launches as its stages, each as long as streamTimes() has it; those of no length are left out.
[[nodiscard]] Timeline withLaunchesAsStages(const Streams &streams, Timeline timeline);

} // namespace stagecraft
