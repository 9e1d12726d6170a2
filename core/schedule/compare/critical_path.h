#pragma once

// The chain of operators that a latency cannot get below, whatever else runs concurrently: through the graph alone, and
// through a schedule, whose barriers make every stage wait for its slowest group. Both use the latencies of operators
// that run alone, so that their difference is what the barriers cost.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct CriticalPath {
    std::vector<OperatorId> operators; // in the order they run
    double us = 0;
};

// By operator, from a measured schedule with one operator per stage; empty if it is not one.
[[nodiscard]] std::vector<double> operatorLatenciesUs(const Graph &graph, const TimedSchedule &sequential);

// The chain with the largest sum. `operatorUs` has one latency per operator.
[[nodiscard]] CriticalPath criticalPath(const Graph &graph, std::span<const double> operatorUs);

// What the heaviest chain of these operators takes, through edges between them alone.
[[nodiscard]] double longestPathUs(const Graph &graph, std::vector<OperatorId> operators,
                                   std::span<const double> operatorUs);

// The slowest group of each stage, in turn. A merge stage counts as its slowest operator.
[[nodiscard]] CriticalPath criticalPath(const TimedSchedule &schedule, std::span<const double> operatorUs);

} // namespace stagecraft
