#pragma once

// Blocks: parts of the graph that are scheduled by themselves, one after another. A block reads only from itself and
// earlier blocks. The search works within one block at a time.

#include "graph/graph.h"
#include "support/ids.h"
#include "support/result.h"

#include <vector>

namespace stagecraft {

// The largest block the search accepts: an operator set of a block is one machine word.
inline constexpr std::size_t kMaxBlockOperators = 64;

struct Block {
    std::vector<OperatorId> operators; // ascending, hence topological

    friend bool operator==(const Block &, const Block &) = default;
};

using Blocks = std::vector<Block>;

// Every operator is in exactly one block; no edge leads from a later block to an earlier one; sizes are within bounds.
[[nodiscard]] Result<void> verifyBlocks(const Graph &graph, const Blocks &blocks);

// Size of the largest antichain of the block (Dilworth: the least number of chains that cover it).
[[nodiscard]] int width(const Graph &graph, const Block &block);

// Bound on the number of transitions, C(n/d + 2, 2)^d, as in the IOS paper.
[[nodiscard]] double transitionBound(std::size_t operators, int width);

} // namespace stagecraft
