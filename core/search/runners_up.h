#pragma once

// Why not this stage? For every stage that a block could have: what the best schedule through it costs more than the
// best schedule there is. Costs of everything before a state come from the chain, costs of everything after it from a
// pass in the other direction.

#include "search/chain.h"
#include "search/result.h"
#include "search/stage_table.h"

#include <span>
#include <vector>

namespace stagecraft {

// Per space and stage: cost of the cheapest schedule that has the stage, under the costs the chain was solved for;
// infinity where there is none. Nothing if interrupted.
[[nodiscard]] std::optional<std::vector<std::vector<double>>>
cheapestThrough(std::span<const StateSpace> spaces, const Chain &chain, const BoundaryCost &boundary,
                const std::function<SpaceCosts(std::size_t)> &costs, const Interrupt &interrupt);

// The `count` stages of every space that would cost least, other than those of `schedule` (stages in normal form).
[[nodiscard]] std::vector<std::vector<RunnerUp>> findRunnersUp(std::span<const StateSpace> spaces,
                                                               const StageTable &table, const BoundaryCost &boundary,
                                                               const Schedule &schedule, std::size_t count,
                                                               const Interrupt &interrupt);

} // namespace stagecraft
