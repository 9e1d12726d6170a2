#pragma once

// What this backend says before a schedule is planned: one layout per tensor of a graph (that which the graph states;
// otherwise image operators ask oneDNN, the others follow their input or stay row-major). It depends on the graph
// alone, never on a schedule, so a stage costs the same in every schedule, or less where it joins what a merge has
// already written adjacently.

#include "cpu/onednn/layout.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "support/result.h"

#include <functional>
#include <string>

namespace stagecraft::cpu {

// Called with the name of each operator before it is made ready to run, and with an empty name after the last.
using Preparing = std::function<void(const std::string &operatorName)>;

// Whether a tensor holds real numbers of up to 32 bits, and a number of them that is known and not zero: those are for
// oneDNN. Operators that read or make others run through the program's own definition (evaluated.h).
[[nodiscard]] bool isForReals(const Tensor &tensor);
[[nodiscard]] bool needsEvaluation(const Graph &graph, const Operator &op);

// Errors name the operator: an unknown shape, a type other than float32, an empty tensor, too many dimensions.
[[nodiscard]] Result<plan::TensorPlan> planTensors(const Graph &graph, const dnnl::engine &engine,
                                                   const Preparing &preparing);

// As plan::usualInputForm; operands of what needs evaluation stay apart.
[[nodiscard]] Result<plan::InputForm> inputFormOf(const Graph &graph, OperatorId id);

} // namespace stagecraft::cpu
