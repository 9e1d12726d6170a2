#pragma once

// Every rProgram passes this check before anything runs it.

#include "graph/graph.h"
#include "schedule/rtasks/rprogram.h"
#include "support/result.h"

namespace stagecraft {

// Checks: every rOperator has a chosen rKernel and reads no rOperator that reads it in turn; every rTask is in one
// unit, once; before an rTask its unit has waited for all that its rOperator reads, or ran all of it; no unit waits for
// ever; all units are resident together. The error names the operator, the rTask and the unit; all are counted from 1.
[[nodiscard]] Result<void> verifyRProgram(const Graph &graph, const RProgram &program, const ResidentUnits &resident);

} // namespace stagecraft
