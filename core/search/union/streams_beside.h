#pragma once

// The streams of two models beside each other: no stream is shared, none waits for the other model, and one host
// launches both.

#include "graph/graph.h"
#include "graph/graph_union.h"
#include "schedule/streams/streams.h"

#include <array>
#include <cstddef>
#include <span>

namespace stagecraft {

// Whose launch comes next.
enum class LaunchTurns {
    Alternating, // one of each, until one has ended: two hosts that launch as fast as they can
    AsAlone,     // each when it would come if its model ran alone
    FirstBefore, // all of the first model, then all of the second
    SecondBefore,
};

struct StreamsOfPart {
    Streams streams;    // of the model's own graph
    double aloneUs = 0; // latency of the model alone
};

// `parts` of all functions: of the union, two.
[[nodiscard]] Streams streamsBeside(const Graph &graph, std::span<const UnionPart> parts,
                                    const std::array<StreamsOfPart, 2> &own, LaunchTurns turns);

// The model `first`, then the other, whose first launches on all streams wait until all of the first has ended.
[[nodiscard]] Streams streamsInSuccession(std::span<const UnionPart> parts, const std::array<StreamsOfPart, 2> &own,
                                          std::size_t first);

} // namespace stagecraft
