#pragma once

// Small random graphs with schedules and rules of memory, for tests of plans.

#include "plan/plan.h"

#include <memory>
#include <random>

namespace stagecraft::test {

struct PlanCase {
    std::shared_ptr<const Graph> graph;
    plan::TensorPlan tensors;
    std::vector<Stage> stages; // of several groups, merges, single operators
};

// Convolutions of few inputs, joins of sums, operators with operands apart, an activation before some.
[[nodiscard]] PlanCase randomPlanCase(std::minstd_rand &random);

// Convolutions take one tensor, separable ones the summands of one part, reshapes each tensor.
[[nodiscard]] Result<plan::InputForm> inputForm(const Graph &graph, OperatorId id);

} // namespace stagecraft::test
