#pragma once

// Streams by list scheduling: operators with the longest way to an output first. Source: Graham 1969; the order of
// priorities is that of HEFT (Topcuoglu et al. 2002).

#include "graph/graph.h"
#include "schedule/streams/streams.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

// By operator, the sum of latencies along the longest path from it, itself included. `latenciesUs` is by operator.
[[nodiscard]] std::vector<double> longestPathsUs(const Graph &graph, std::span<const double> latenciesUs);

// On at most `streams` (at least 1): of the ready operators the one with the highest priority, on the stream where it
// can begin first by these latencies; of equal ones, the stream of what it waited for. Launched in this order.
[[nodiscard]] Streams listStreams(const Graph &graph, std::span<const double> latenciesUs,
                                  std::span<const double> priorities, std::size_t streams);

// The longest path on one stream, all others on the rest in turn (with one stream, on it), in the order of the file.
[[nodiscard]] Streams roundRobinStreams(const Graph &graph, std::span<const double> latenciesUs, std::size_t streams);

} // namespace stagecraft
