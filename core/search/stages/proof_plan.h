#pragma once

// Which stages to ask for, so that few answers prove the best schedule. If every stage took as long as is guessed, the
// answers of a plan would raise all schedules to the cost of the best one, and no answer of it could be left out. Only
// the order depends on it: what is proved follows from answers.

#include "search/stages/chain.h"
#include "search/stages/stage_table.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace stagecraft {

struct PlannedProof {
    const std::function<double(std::uint32_t)> &guessUs; // of a stage class
    double targetUs = 0;                                 // the cost that is to be proved the least
};

// The classes in the order in which they raise the bound. `optimistic`: of the spaces and the table's bounds. Empty if
// interrupted, or if guesses alone do not raise the bound.
[[nodiscard]] std::vector<std::uint32_t> planProof(std::span<const StateSpace> spaces, StageTable &table,
                                                   Chain &optimistic, const PlannedProof &proof,
                                                   const Interrupt &interrupt);

} // namespace stagecraft
