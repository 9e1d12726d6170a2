#pragma once

// Which outputs of a file's nodes the graph has. Many files name outputs without a reader (the mask of a Dropout, the
// running statistics of a BatchNormalization); the graph leaves them out where the specification allows it.

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

} // namespace stagecraft
