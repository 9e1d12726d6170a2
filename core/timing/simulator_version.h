#pragma once

// Which simulator made a latency. Results of an older one keep their numbers, say so, and are not compared with new
// ones: RunContext::deviceVersion holds the version, and differs.

#include "timing/run_context.h"

#include <string>

namespace stagecraft {

// Raised whenever simulated latencies change. Simulators before 2 did not say which they are.
inline constexpr int kSimulatorVersion = 2;

// "simulator 2".
[[nodiscard]] std::string simulatorVersion();

// What was simulated, by a simulator before this one.
[[nodiscard]] bool isOfOlderSimulator(const RunContext &context);

} // namespace stagecraft
