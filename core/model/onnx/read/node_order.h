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

// How an error names a node: by its name, or by its first output if it has none.
[[nodiscard]] std::string nodeLabel(const onnx::NodeProto &node);

// Names that the node's subgraphs read from outside; they point into the message.
[[nodiscard]] std::vector<std::string_view> outerNames(const onnx::NodeProto &node);

// Names the node reads: its inputs, then its outerNames.
[[nodiscard]] std::vector<std::string_view> readNames(const onnx::NodeProto &node);

// Indices of nodes, in file order if that is topological. Refuses cycles, names that nothing produces, and names that
// two nodes produce.
[[nodiscard]] Result<std::vector<int>> nodeOrder(const onnx::GraphProto &graph, const FileNames &names);

} // namespace stagecraft
