#pragma once

// Stages whose barriers became true dependencies.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "schedule/streams/streams.h"

#include <span>

namespace stagecraft {

// Each group is on one stream: that of what it reads, where no other group of its stage is there, else a free one.
// Merged operators stay merged. Launched stage after stage, group after group.
[[nodiscard]] Streams relaxedStreams(const Graph &graph, std::span<const Stage> stages);

} // namespace stagecraft
