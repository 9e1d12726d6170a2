#pragma once

// Which places of a study can be worked on at the same time without disturbing each other's timings. Machines do not
// disturb each other, nor do the GPUs of a machine; whoever measures on its processors has a machine to itself.
// Simulated devices and recordings measure nothing.

#include "flow/study/specialization.h"

#include <span>
#include <vector>

namespace stagecraft {

// Each place once, in a lane with those that wait for each other, in order.
[[nodiscard]] std::vector<std::vector<RunPlace>> sideBySide(std::span<const RunPlace> places);

} // namespace stagecraft
