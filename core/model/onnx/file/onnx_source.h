#pragma once

// What an ONNX file contains that the graph does not: its opsets, its element types, and the nodes that were kept as
// operators. The exporter copies such nodes.

#include "model/onnx/file/node.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
class TensorProto;
class TypeProto;
class ValueInfoProto;
} // namespace onnx

namespace stagecraft {

// If it is neither a tensor nor a constant, the node leaves this place empty.
struct SourceOperand {
    bool isTensor = false; // the next of the operator's inputs
    std::shared_ptr<const Constant> constant;
    const onnx::TensorProto *stored = nullptr; // if the program does not read its type
};

struct SourceNode {
    const onnx::NodeProto *proto = nullptr;
    std::vector<SourceOperand> operands;   // by readNames: the inputs, then what its subgraphs read from outside
    std::vector<std::string_view> outputs; // see OutputUse
};

// A DequantizeLinear of constants, which is folded: what it makes, and the node.
struct SourceQuantised {
    std::shared_ptr<const Constant> made;
    SourceNode node;
};

// An output of the file. Outputs that need no computation are not in the graph.
struct SourceOutput {
    const onnx::ValueInfoProto *info = nullptr;
    std::shared_ptr<const Constant> constant;
};

struct OnnxSource {
    std::shared_ptr<const onnx::ModelProto> file;      // owns what the pointers here point to
    std::int64_t opset = 1;                            // of the ONNX domain
    bool hasOwnBatch = true;                           // the graph has the file's batch
    std::unordered_map<std::string, SourceNode> nodes; // by operator name
    std::vector<SourceOutput> outputs;
    std::unordered_map<const void *, SourceQuantised> quantised; // by the address of the values that it makes
};

// The type that the file states for a tensor; null if it states none.
using DeclaredTypes = std::unordered_map<std::string, const onnx::TypeProto *>;
[[nodiscard]] DeclaredTypes declaredTypes(const OnnxSource &source);

} // namespace stagecraft
