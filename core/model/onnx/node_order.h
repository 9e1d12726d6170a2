#pragma once

// The nodes of a model file in an order in which every node comes after what it reads.

#include "support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

class FileNames;

// What an error calls a node: its name, or its first output where it has none.
[[nodiscard]] std::string nodeLabel(const onnx::NodeProto &node);

// Names that the node's subgraphs take from outside; of the message.
[[nodiscard]] std::vector<std::string_view> outerNames(const onnx::NodeProto &node);

// Names the node reads: its inputs, then its outerNames.
[[nodiscard]] std::vector<std::string_view> readNames(const onnx::NodeProto &node);

// Indices of nodes; file order where that is one. Refuses cycles, names that nothing makes, and names that two nodes
// make.
[[nodiscard]] Result<std::vector<int>> nodeOrder(const onnx::GraphProto &graph, const FileNames &names);

} // namespace stagecraft
