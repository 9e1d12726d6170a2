#pragma once

// What all sources of stream schedules share.

#include "graph/graph.h"
#include "schedule/streams/streams.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft {

// One launch for each operator, in this order, which has each operator after those whose outputs it reads; with the
// events that are needed. `streamOf` is by operator; streams are numbered anew, in the order of their first launch.
[[nodiscard]] Streams allocated(const Graph &graph, std::span<const OperatorId> order,
                                std::span<const std::uint32_t> streamOf);

// The same for launches that may be merged, whose waits and stream numbers do not count.
[[nodiscard]] Streams allocated(const Graph &graph, std::vector<StreamLaunch> launches);

// The operators as the file has them: each after those whose outputs it reads.
[[nodiscard]] std::vector<OperatorId> fileOrder(const Graph &graph);

} // namespace stagecraft
