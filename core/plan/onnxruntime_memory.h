#pragma once

// What ONNX Runtime allocates for nodes and their streams: the order in which it runs them, what it reuses, and what
// its arena holds then.

#include "plan/node_allocations.h"

#include <cstddef>

namespace stagecraft::plan {

struct ArenaUse {
    std::size_t heldBytes = 0; // after some runs
    std::size_t peakBytes = 0; // the most that is used at a time, as whole chunks
};

// The nodes in the order in which it runs those of a stream: `nodes` in the order of a file.
[[nodiscard]] NodeAllocations inOrderOfOnnxRuntime(NodeAllocations nodes);

// One node after another (ORT_SEQUENTIAL): a tensor takes the memory of one of the same shape that is done, and runs
// after the first one have one buffer for all but outputs and scratch memory. Nodes in ONNX Runtime's order.
[[nodiscard]] ArenaUse arenaOfOneStream(NodeAllocations nodes);

// Streams side by side, as many at a time as there are: a node takes its work's time. `perStream`: no stream takes what
// another one had. Nodes in ONNX Runtime's order.
[[nodiscard]] ArenaUse arenaOfStreams(const NodeAllocations &nodes, bool perStream);

} // namespace stagecraft::plan
