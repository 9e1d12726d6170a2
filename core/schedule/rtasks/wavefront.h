#pragma once

// The wavefront policy of Rammer (Ma et al., OSDI 2020, section 4): waves of rOperators by breadth first; while the
// rTasks of a wave fit the virtual units, the rKernels that are fastest alone, beyond that the thriftiest ones; rTasks
// in turn on the units that are free first; barriers between waves, on the units that have rTasks behind them.

#include "schedule/rtasks/rprogram.h"

namespace stagecraft {

enum class RKernelChoice { ByWave, Fastest, Thriftiest };

// Of rOperators without a cycle, each after those that it reads; `chosen` is set. No units if none is resident.
[[nodiscard]] RProgram wavefrontProgram(std::vector<ROperator> rOperators, const ResidentUnits &resident,
                                        RKernelChoice choice = RKernelChoice::ByWave);

// How many rOperators come before each one, at most: its wave.
[[nodiscard]] std::vector<std::size_t> wavesOf(const std::vector<ROperator> &rOperators);

} // namespace stagecraft
