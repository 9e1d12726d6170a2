#pragma once

// Which outputs of a file's nodes the graph has. Many files name outputs that nobody reads (the mask of a Dropout, the
// running statistics of a BatchNormalization): where the specification lets a file leave them out, the graph does.

#include "model/onnx/node.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

class OutputUse {
public:
    explicit OutputUse(const onnx::GraphProto &graph);

    // Names of the node's outputs in their places, empty for those that the file leaves out; always the first.
    [[nodiscard]] std::vector<std::string_view> outputsOf(const onnx::NodeProto &node) const;

private:
    // Read by a node, or an output of the graph; empty where no node could leave an output out.
    std::unordered_set<std::string_view> m_used;
};

// How many outputs an operator of the type has at most; nothing where it is not known.
[[nodiscard]] std::optional<std::size_t> mostOutputs(const std::string &type);

// Refuses a node that names more outputs than that.
[[nodiscard]] Result<void> checkOutputCount(const OnnxNode &node, std::optional<std::size_t> most);

} // namespace stagecraft
