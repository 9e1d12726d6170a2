#pragma once

// The streams of Nimble (Kwon et al., NeurIPS 2020): as few as keep all concurrency of the graph, which is its width.

#include "graph/graph.h"
#include "schedule/streams/streams.h"

namespace stagecraft {

// A maximum matching of operators with operators that come after them, directly or not: matched ones share a stream.
// (Over the edges alone, as in the paper's reduced graph, a stream could not skip what lies between two of its
// operators, and there would be more.) Launched in the order of the file.
[[nodiscard]] Streams nimbleStreams(const Graph &graph);

} // namespace stagecraft
