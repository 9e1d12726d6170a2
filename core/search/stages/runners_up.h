#pragma once

// Why not this stage? For every possible stage of a block, how much more the best schedule with it costs than the best
// schedule. Costs up to a state come from the chain, costs after it from a pass in the other direction.

#include "search/result.h"
#include "search/stages/chain.h"
#include "search/stages/stage_table.h"

#include <span>
#include <vector>

namespace stagecraft {

// Per space and stage: cost of the cheapest schedule with the stage, under the costs the chain was solved for; infinity
// if there is none. Empty if interrupted.
[[nodiscard]] std::optional<std::vector<std::vector<double>>>
cheapestThrough(std::span<const StateSpace> spaces, const Chain &chain, const BoundaryCost &boundary,
                const std::function<SpaceCosts(std::size_t)> &costs, const Interrupt &interrupt);

// The `count` stages of every space that would cost least, except those of `schedule` (stages in normal form).
[[nodiscard]] std::vector<std::vector<RunnerUp>> findRunnersUp(std::span<const StateSpace> spaces,
                                                               const StageTable &table, const BoundaryCost &boundary,
                                                               const TimedSchedule &schedule, std::size_t count,
                                                               const Interrupt &interrupt);

} // namespace stagecraft
