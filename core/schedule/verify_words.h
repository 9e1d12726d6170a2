#pragma once

// Error messages of the verifier, also used before there is a schedule to verify: while an operator is dragged, every
// place has its reason. Blocks and stages are counted from 1, as on screen.

#include "graph/graph.h"
#include "support/result.h"

#include <cstddef>
#include <string>

namespace stagecraft {

[[nodiscard]] std::string stageName(std::size_t index); // "stage 3"

// "operator conv3: REASON"
[[nodiscard]] tl::unexpected<Error> refusedOperator(const Graph &graph, OperatorId id, std::string reason);

[[nodiscard]] tl::unexpected<Error> runsBefore(const Graph &graph, OperatorId reader, OperatorId producer);
[[nodiscard]] tl::unexpected<Error> runsConcurrently(const Graph &graph, OperatorId reader, OperatorId producer);
[[nodiscard]] tl::unexpected<Error> isInAnotherBlock(const Graph &graph, OperatorId id, std::size_t own,
                                                     std::size_t ofStage);
// The stage of `id`, in block `own`, comes after a stage of the later block `before`.
[[nodiscard]] tl::unexpected<Error> runsAfterLaterBlock(const Graph &graph, OperatorId id, std::size_t own,
                                                        std::size_t before);

} // namespace stagecraft
