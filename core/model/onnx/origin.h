#pragma once

// What an ONNX file says that the graph does not: its opsets, its element types, and the nodes that became operators as
// they are. The exporter copies such nodes instead of writing them anew.

#include "model/onnx/node.h"

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

// Neither of them: the node leaves this place empty.
struct OriginOperand {
    bool isTensor = false; // the next of the operator's inputs
    std::shared_ptr<const Constant> constant;
    const onnx::TensorProto *stored = nullptr; // where the program does not read its type, or not all its digits
};

struct OriginNode {
    const onnx::NodeProto *proto = nullptr;
    std::vector<OriginOperand> operands;   // of readNames: behind the inputs what its subgraphs take from outside
    std::vector<std::string_view> outputs; // see OutputUse
};

// An output of the file. Those that need no computation are no outputs of the graph.
struct OriginOutput {
    const onnx::ValueInfoProto *info = nullptr;
    std::shared_ptr<const Constant> constant;
};

struct OnnxOrigin {
    std::shared_ptr<const onnx::ModelProto> file;      // owns what the pointers here point to
    std::int64_t opset = 1;                            // of ONNX's own operators
    bool hasOwnBatch = true;                           // the graph has the file's batch
    std::unordered_map<std::string, OriginNode> nodes; // by the name of the operator
    std::vector<OriginOutput> outputs;
};

// The type the file gives the tensor; null where it says nothing.
using DeclaredTypes = std::unordered_map<std::string, const onnx::TypeProto *>;
[[nodiscard]] DeclaredTypes declaredTypes(const OnnxOrigin &origin);

} // namespace stagecraft
