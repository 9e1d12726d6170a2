#pragma once

// Blocks as a person wants them: joined with the block behind, or cut after an operator. All operators that one leads
// from within the block, and itself, are then the first part, the others the second.

#include "graph/block.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "support/result.h"

namespace stagecraft {

// `blocks`, joined and then cut as the reading says. Refuses, naming the operator: one that the graph does not have;
// one of the last block, which has none behind it; one that all others of its block lead to. Refuses blocks that are
// larger than the search accepts.
[[nodiscard]] Result<Blocks> chosenBlocks(const Graph &graph, Blocks blocks, const Reading &reading);

// The reading with which this block and the one behind are one: without the cut between them, if that was chosen.
[[nodiscard]] Reading joinedBehind(const Graph &graph, const Block &block, Reading reading);

} // namespace stagecraft
