#pragma once

// Turns a node of a model file into an operator of the graph: kind, attributes, input expression and parameters. Names,
// outputs and shapes are the reader's.

#include "model/onnx/node.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct ConvertedNode {
    Operator op;
    std::string remark; // why the operator is kept as the file has it, for the import report; may be empty
};

[[nodiscard]] Result<ConvertedNode> convertNode(const OnnxNode &node);

// Every type that has a rule of its own here or for its shapes, sorted. Others are kept as unknown operators.
[[nodiscard]] std::vector<std::string> knownNodeTypes();

// The file asks for what the operator does in training: a random mask, statistics of the batch.
[[nodiscard]] bool isInTraining(const OnnxNode &node);

// The input the node passes on unchanged (Identity, Dropout, casts between floating-point types, sums of one); nothing
// for others.
[[nodiscard]] std::optional<std::size_t> passedInput(const OnnxNode &node);

} // namespace stagecraft
