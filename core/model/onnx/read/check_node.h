#pragma once

// Refuses nodes that the specification rules out whatever they read: by the operator table.

#include "model/onnx/file/node.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stagecraft {

// Refuses a node that gives an attribute twice, has more inputs than its type takes, or lacks one that its type always
// has. Inputs: only of ONNX's own types, and from opset 7 on, as some had others before.
[[nodiscard]] Result<void> checkNode(const OnnxNode &node);

// Refuses a node in one of the node's graphs, or within those, that has more inputs than its type takes or lacks one:
// before anything asks what they are for. Names each node on the way.
[[nodiscard]] Result<void> checkNodesWithin(const onnx::NodeProto &node, std::int64_t opset);

// The largest number of outputs for the type; empty if unknown.
[[nodiscard]] std::optional<std::size_t> mostOutputs(const std::string &type);

// Refuses a node that names more outputs than that.
[[nodiscard]] Result<void> checkOutputCount(const OnnxNode &node, std::optional<std::size_t> most);

} // namespace stagecraft
