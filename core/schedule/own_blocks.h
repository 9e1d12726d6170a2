#pragma once

// Blocks of schedules that do not keep to those of their model: stages over several models (model/union) have operators
// of blocks of each.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <optional>
#include <span>

namespace stagecraft {

// The blocks that the stages of a schedule say, with their operators. Empty: those are the usual ones, or the stages
// say none that a graph can have.
[[nodiscard]] std::optional<Blocks> ownBlocks(const Graph &graph, const Blocks &usual, std::span<const Stage> stages);

} // namespace stagecraft
