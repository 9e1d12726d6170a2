#pragma once

// One layout per tensor of a graph, chosen once: image operators ask oneDNN, the others follow their input or stay
// row-major. Layouts and aliases depend on the graph alone, never on a schedule, so a stage costs the same in every
// schedule, or less where it concatenates what a merge has already written adjacently.

#include "cpu/onednn/layout.h"
#include "graph/graph.h"
#include "support/result.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::cpu {

// A tensor that one concatenation reads may be written straight to its channels of the joined tensor.
struct ConcatAlias {
    TensorId joined;
    std::size_t offsetBytes = 0;
};

struct Layouts {
    std::vector<Desc> tensors;                       // by TensorId
    std::vector<std::optional<ConcatAlias>> aliases; // by TensorId
    std::vector<bool> onlyJoined;                    // by TensorId: all its readers are concatenations
};

// Called with the name of each operator before it is made ready to run, and with an empty name after the last.
using Preparing = std::function<void(const std::string &operatorName)>;

// Errors name the operator: an unknown shape, a type other than float32, an empty tensor, too many dimensions.
[[nodiscard]] Result<Layouts> chooseLayouts(const Graph &graph, const dnnl::engine &engine, const Preparing &preparing);

// Layout of an input expression as one tensor.
[[nodiscard]] Desc expressionDesc(const Layouts &layouts, const Graph &graph, const InputExpression &inputs);

} // namespace stagecraft::cpu
