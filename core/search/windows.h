#pragma once

// Blocks whose space is too large to hold are improved piece by piece: consecutive stages of the best schedule so far
// form a window, the operators of a window are scheduled anew as if they were a block of their own, and the windows are
// cut elsewhere the next time. What comes out is legal and never worse; how far it may be from the optimum is bounded
// by the longest path through the block and by what its operators need in all.

#include "search/latency_queries.h"
#include "search/state_space.h"

#include <optional>
#include <vector>

namespace stagecraft {

// The smallest space that holds, for a block whose own is too large: under the usual bounds r = 3, s = 8, which are
// enough for good schedules (IOS, section 6), and with no more stages than are left. Nothing if that is too large as
// well, or interrupted.
[[nodiscard]] std::optional<StateSpace> buildPrunedSpace(const BlockView &view, const SearchOptions &options,
                                                         const SpaceLimits &left, const Interrupt &interrupt);

// Spaces of the windows of one block, in order. `stages`: of the block, a legal schedule of it. `shift`: how many
// operators the first window has at most; the others are as large as is still fast. Nothing if interrupted.
[[nodiscard]] std::optional<std::vector<StateSpace>> buildWindows(const Graph &graph, const std::vector<Stage> &stages,
                                                                  std::size_t shift, const SearchOptions &options,
                                                                  const Interrupt &interrupt);

// No schedule of the block is faster: along the heaviest path, operators of one stage are in one group and take at
// least as long as the slowest of them; nor can they take less in all than what the source says of their shares.
// `latencyUs` per operator of the graph, alone in a stage; 0 where not known, and of those that are pinned. `pinnedUs`:
// of the pinned stages of the block, which nothing else runs beside.
[[nodiscard]] double blockBoundUs(const BlockView &view, const SearchOptions &options,
                                  std::span<const double> latencyUs, double pinnedUs, const StageLatencySource &source);

} // namespace stagecraft
