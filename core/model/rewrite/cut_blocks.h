#pragma once

// Cuts a graph into blocks, from its structure alone.
//
// First at operators through which everything passes: what follows reads their output and nothing earlier. Consecutive
// pieces of one operator each form one block; a lone activation or copy belongs to the block before it. A piece of more
// than 36 operators is cut further where only 2 tensors are alive (then 3, 4, ...), into as few parts of at most 24
// operators as possible, preferring joins with the most inputs: NASNet is cut into its cells. What is still too long,
// or wider than 12, is cut into runs of the topological order, so that a search always ends.

#include "graph/block.h"
#include "graph/graph.h"

namespace stagecraft {

// The result passes verifyBlocks for every graph.
[[nodiscard]] Blocks cutBlocks(const Graph &graph);

// Keeps the blocks a source publishes, and cuts those that are longer or wider than the bounds above.
[[nodiscard]] Blocks cutLongBlocks(const Graph &graph, const Blocks &blocks);

} // namespace stagecraft
