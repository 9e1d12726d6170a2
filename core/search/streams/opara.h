#pragma once

// The streams and the launch order of Opara (Chen et al., SoCC 2024; the order as in its repository,
// OperatorLauncher.py).

#include "graph/graph.h"
#include "schedule/streams/streams.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft {

// What an operator's kernels ask of the device.
struct OparaDemand {
    bool isMemoryBound = false;           // else it computes
    std::int64_t sharedBytesPerBlock = 0; // of its first kernel
};

// Whether Opara calls the operator one that accesses memory: all but convolutions and products.
[[nodiscard]] bool isMemoryBoundFor(const Operator &op);

// An operator, in the order of the file, continues the stream of the first one that it reads from and that nobody has
// continued; else it opens a stream. Launched are, in turn, computing operators and such that access memory, as long as
// there are both, and of those that are ready the one with the fewest bytes of shared memory in a block. `demands` is
// by operator.
[[nodiscard]] Streams oparaStreams(const Graph &graph, std::span<const OparaDemand> demands);

} // namespace stagecraft
