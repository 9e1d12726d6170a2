#pragma once

// What this backend says before a schedule is planned: one layout per tensor of a graph (that which the graph states;
// otherwise image operators ask oneDNN, the others follow their input or stay row-major). It depends on the graph
// alone, never on a schedule, so a stage costs the same in every schedule, or less where it joins what a merge has
// already written adjacently.

#include "device/cpu/executable.h"
#include "device/cpu/onednn/layout.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "support/result.h"

#include <functional>
#include <string>

namespace stagecraft::cpu {

// Called with the name of each operator before it is made ready to run, and with an empty name after the last.
using Preparing = std::function<void(const std::string &operatorName)>;

// Errors name the operator: an unknown shape, a type other than float32, an empty tensor, too many dimensions.
[[nodiscard]] Result<plan::TensorPlan> planTensors(const Graph &graph, const dnnl::engine &engine,
                                                   const Preparing &preparing);

// As plan::usualInputForm; operands of what needs evaluation stay apart.
[[nodiscard]] Result<plan::InputForm> inputFormOf(const Graph &graph, OperatorId id);

} // namespace stagecraft::cpu
