#pragma once

// Streams as parts that follow each other: launches that nothing can run beside, and between them those that may run
// side by side; and as stages, for whom it is enough that they follow each other in launch order.

#include "schedule/schedule.h"
#include "schedule/streams/streams.h"

#include <cstddef>
#include <vector>

namespace stagecraft {

struct StreamPart {
    std::vector<std::size_t> launches; // without a gap, in launch order
    bool isSideBySide = false;         // otherwise each of them is before or after every other launch
    std::size_t streams = 1;           // that have launches in it
};

// Of a legal schedule. What a part has launched has ended before the next one begins.
[[nodiscard]] std::vector<StreamPart> partsOf(const Streams &streams);

// By launch of a part, as indices of the part: those of the same part that wait for its end, by stream or event.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> waitersIn(const StreamPart &part, const Streams &streams);

// Each launch as a stage, in launch order, which is one of the orders in which they may run.
[[nodiscard]] std::vector<Stage> launchesAsStages(const Streams &streams);

} // namespace stagecraft
