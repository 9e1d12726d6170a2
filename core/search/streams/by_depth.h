#pragma once

// The streams that ONNX Runtime proposes to give operators on a CPU (its pull request 29817, "Partition parallel CPU
// DAGs into streams").

#include "graph/graph.h"
#include "schedule/streams/streams.h"

#include <cstddef>

namespace stagecraft {

// An operator keeps on its stream the successor from which the way to an output has the most operators, the first of
// equal ones. Others open a stream, as long as there are fewer than `streams` (at least 1), and then go to the one with
// the fewest operators, the first of equal ones. Launched in the order of the file.
[[nodiscard]] Streams byDepthStreams(const Graph &graph, std::size_t streams);

} // namespace stagecraft
