#pragma once

// The events that a stream schedule needs.

#include "graph/graph.h"
#include "schedule/streams/streams.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft {

// By operator, the launch that runs it. Every operator is in one launch.
[[nodiscard]] std::vector<std::uint32_t> launchOfOperators(const Graph &graph, const Streams &streams);

// The same launches with the fewest waits that keep every dependency; those that it has do not count. A launch waits
// for the last one of another stream that it depends on, unless it comes after that anyway. What an operator reads is
// launched before it.
[[nodiscard]] Streams withNeededEvents(const Graph &graph, Streams streams);

} // namespace stagecraft
