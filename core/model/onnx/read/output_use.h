#pragma once

// Which outputs of a file's nodes the graph has. Many files name outputs without a reader (the mask of a Dropout, the
// running statistics of a BatchNormalization); the graph leaves them out where the specification allows it.

#include "model/onnx/file/node.h"
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

    // Names of the node's outputs by place, empty if the file leaves one out; the first is always there.
    [[nodiscard]] std::vector<std::string_view> outputsOf(const onnx::NodeProto &node) const;

private:
    // Outputs of the graph and outputs that a node reads; empty if no node could leave an output out.
    std::unordered_set<std::string_view> m_used;
};

// The largest number of outputs for the type; empty if unknown.
[[nodiscard]] std::optional<std::size_t> mostOutputs(const std::string &type);

// Refuses a node that names more outputs than that.
[[nodiscard]] Result<void> checkOutputCount(const OnnxNode &node, std::optional<std::size_t> most);

} // namespace stagecraft
