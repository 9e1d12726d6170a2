#pragma once

// One operator as a call of the exported project's NetworkBuilder (resources/cpp_project/engine/network_builder.h).

#include "export/cpp_project/weight_plan.h"
#include "graph/graph.h"

#include <string>
#include <vector>

namespace stagecraft {

// What the code of an operator refers to.
struct NamedNetwork {
    const Graph &graph;
    const WeightPlan &weights;
    std::vector<std::string> tensors; // by TensorId: the member of Tensors
};

[[nodiscard]] std::string operatorCode(const NamedNetwork &network, const Operator &op);

} // namespace stagecraft
