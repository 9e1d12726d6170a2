#pragma once

// Turns a node of a model file into an operator of the graph: kind, attributes, input expression and parameters. The
// reader adds names, outputs and shapes.

#include "model/onnx/file/node.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct ConvertedNode {
    Operator op;
    std::string remark; // why the operator is kept as in the file, for the import report; may be empty
};

[[nodiscard]] Result<ConvertedNode> convertNode(const OnnxNode &node);

// All types with a rule here or for their shapes, sorted, but for those with subgraphs. Other types become unknown
// operators.
[[nodiscard]] std::vector<std::string> knownNodeTypes();

// Whether the file asks for training behaviour: a random mask, or statistics of the batch.
[[nodiscard]] bool isInTraining(const OnnxNode &node);

// The input that the node passes on unchanged (Identity, Dropout, casts between floating-point types, sums of one);
// empty for other nodes.
[[nodiscard]] std::optional<std::size_t> passedInput(const OnnxNode &node);

} // namespace stagecraft
