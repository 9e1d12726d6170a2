#pragma once

// What a RotaryEmbedding turns: pairs of values of each head, by an angle per place of the sequence.

#include "operators/node_facts.h"
#include "support/result.h"

#include <cstdint>

namespace stagecraft::kernels {

struct RotaryPlan {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t places = 0; // of the sequence
    std::int64_t size = 0;   // of a head
    std::int64_t pairs = 0;  // of a head that are turned; what is left behind them stays as it is
    bool headsFirst = true;  // batch x heads x places x size; otherwise batch x places x (heads x size)
};

// Refuses cosines and sines, or positions, that do not fit the input.
[[nodiscard]] Result<RotaryPlan> planRotary(const NodeFacts &node);

} // namespace stagecraft::kernels
