#pragma once

// Nodes that repeat an earlier one: of its type, without attributes, reading tensors of the same shapes and types. They
// become the same operator, so the rules of the schema, which take most of the time to read a node, are asked once.

#include "graph/graph.h"

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace onnx {
class NodeProto;
} // namespace onnx

namespace stagecraft {

class RepeatedNodes {
public:
    // What the rules made of a node, without names; the operator reads the *places* of the node's operands.
    struct Made {
        std::vector<Shape> shapes; // of the operands
        std::vector<DataType> types;
        Operator op;
        Tensor output;
    };

    // Whether the node's type and operands say all about it.
    [[nodiscard]] static bool mayRepeat(const onnx::NodeProto &node);

    // Null: the rules have to be asked. `operands`: the tensors of `graph` that the node reads, in order.
    [[nodiscard]] const Made *find(const std::string &type, std::span<const TensorId> operands,
                                   const GraphBuilder &graph);

    // What the rules made of a node of this type, which may repeat. Keeps nothing where that depends on more than the
    // shapes and types of the operands.
    void remember(const std::string &type, std::span<const TensorId> operands, const Operator &op, TensorId output,
                  const GraphBuilder &graph);

private:
    using ByType = std::unordered_map<std::string, Made>; // the last of each type

    ByType m_made;
    const ByType::value_type *m_last = nullptr;
};

// The operator once more, for other operands.
[[nodiscard]] Operator repeated(const Operator &made, std::string name, std::span<const TensorId> operands);

} // namespace stagecraft
