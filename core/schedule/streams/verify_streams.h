#pragma once

// What makes streams legal. Errors are InvalidInput and name operators.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/streams/streams.h"
#include "support/result.h"

namespace stagecraft {

// Checks: every operator exactly once; each stream has launches; a launch waits for earlier ones on other streams, each
// once, ascending; several operators in one launch obey the merge rules (schedule/merge.h); what an operator reads has
// ended before it begins (schedule/streams/launch_order.h). What a device needs to run them.
[[nodiscard]] Result<void> verifyStreams(const Graph &graph, const Streams &streams);
// And merged operators are in one block.
[[nodiscard]] Result<void> verifyStreams(const Graph &graph, const Blocks &blocks, const Streams &streams);

} // namespace stagecraft
