#pragma once

// Improves blocks whose space is too large for memory piece by piece: consecutive stages of the best schedule form a
// window, the operators of a window are scheduled again as if they were a block, and the next time the windows are cut
// elsewhere. The result is legal and never worse; its distance from the optimum is bounded by the longest path through
// the block and by what its operators need in total.

#include "search/stages/latency_queries.h"
#include "search/stages/state_space.h"

#include <optional>
#include <vector>

namespace stagecraft {

constexpr std::size_t kPrunedTransitions = 10'000'000; // of such a space

// A small space with good schedules, for a block whose own space is too large: under the usual bounds r = 3, s = 8,
// which are enough for good schedules (IOS, section 6), and within the remaining limits. Empty if that is too large as
// well, or interrupted.
[[nodiscard]] std::optional<StateSpace> buildPrunedSpace(const BlockView &view, const SearchOptions &options,
                                                         const SpaceLimits &left, const Interrupt &interrupt);

// What one window may take where blocks of so many operators are searched in windows: thousands of wide blocks take no
// more together than a few.
[[nodiscard]] SpaceLimits windowLimits(std::size_t operators);

// Spaces of the windows of one block, in order. `stages`: a legal schedule of the block. `shift`: the largest number of
// operators in the first window; the others are as large as `limits` allow. Empty if interrupted.
[[nodiscard]] std::optional<std::vector<StateSpace>> buildWindows(const Graph &graph, const std::vector<Stage> &stages,
                                                                  std::size_t shift, const SearchOptions &options,
                                                                  const SpaceLimits &limits,
                                                                  const Interrupt &interrupt);

// A lower bound for every schedule of the block. Along the heaviest path, operators in one stage are in one group,
// which takes at least as long as the slowest of them; and the whole takes at least what the source states as the
// shares of its operators. `latencyUs`: per operator of the graph, alone in a stage; 0 if unknown or pinned.
// `pinnedUs`: sum of the pinned stages of the block, during which nothing else runs.
[[nodiscard]] double blockBoundUs(const BlockView &view, const SearchOptions &options,
                                  std::span<const double> latencyUs, double pinnedUs, const StageLatencySource &source);

} // namespace stagecraft
