#pragma once

// The order in which the operators of a stage are launched: which of its kernels the device has first. Sources: the
// launch order of Opara (Chen et al., SoCC 2024), of alternating kernels that compute and that access memory; list
// scheduling by the longest path.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

namespace stagecraft {

struct LaunchOrderLimits {
    std::size_t exact = 720; // all orders of a stage are tried if there are at most so many
    std::size_t moves = 200; // else so many changes of the best so far, by one operator each
};

struct LaunchOrderChoice {
    Stage stage;              // as it was where no order is faster
    double latencyUs = 0;     // of that stage
    std::int64_t tried = 0;   // orders that were timed
    bool areAllTried = false; // no order of the stage is faster
};

// How long a stage with a launch order takes, microseconds.
using StageTime = std::function<Result<double>(const Stage &stage)>;

// Whether there is anything to choose: a concurrent stage of several groups.
[[nodiscard]] bool hasLaunchOrders(const Stage &stage);

// The fastest order that was found for a stage that states none and takes `latencyUs`. `operatorsUs`: by operator of
// the graph, alone. A stop ends it with the best so far. Errors: those of `time`.
[[nodiscard]] Result<LaunchOrderChoice> chooseLaunchOrder(const Graph &graph, const Stage &stage, double latencyUs,
                                                          std::span<const double> operatorsUs, const StageTime &time,
                                                          const LaunchOrderLimits &limits, const std::stop_token &stop);

} // namespace stagecraft
