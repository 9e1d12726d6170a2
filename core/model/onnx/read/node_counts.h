#pragma once

// How many inputs and outputs a node may have: what the operator table lists for its type.

#include "model/onnx/file/node.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <string>

namespace stagecraft {

// Refuses a node with more inputs than its type takes, or without one that its type always has. Only of ONNX's own
// types, and from opset 7 on: before, some had others.
[[nodiscard]] Result<void> checkInputCount(const OnnxNode &node);

// The largest number of outputs for the type; empty if unknown.
[[nodiscard]] std::optional<std::size_t> mostOutputs(const std::string &type);

// Refuses a node that names more outputs than that.
[[nodiscard]] Result<void> checkOutputCount(const OnnxNode &node, std::optional<std::size_t> most);

} // namespace stagecraft
