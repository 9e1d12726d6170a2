#pragma once

// A schedule as a program: what its launches read and write, and in which bytes, for plan/program_faults.h.

#include "graph/graph.h"
#include "plan/launched_program.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace stagecraft::plan {

// Streams are the streams, or the groups of a stage; between stages all is waited for. The schedule has every operator
// once, and a stream waits for earlier launches (schedule/verify.h): whether those waits are enough is what the program
// is for. `arranged`: its plan; null: every tensor has bytes of its own.
[[nodiscard]] LaunchedProgram plannedProgram(const Graph &graph, const Schedule &schedule, const Plan *arranged);

} // namespace stagecraft::plan
