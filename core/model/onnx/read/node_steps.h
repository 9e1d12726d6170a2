#pragma once

// What every operator needs to become nodes of an ONNX graph: unique names, nodes and their attributes, weights, the
// input expression. Writes the nodes of one operator at a time.

#include "graph/graph.h"
#include "model/onnx/file/element_types.h"
#include "model/onnx/file/onnx_source.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
class TensorProto;
} // namespace onnx

namespace stagecraft {

// The properties of the written file.
struct WrittenForm {
    std::int64_t opset = 17;
    RealTypes types;
    const OnnxSource *source = nullptr; // of the file the graph was read from
};

// A constant operand of a node, by its name there.
struct WrittenWeight {
    Parameter parameter;
    int elementType = 0;
    const onnx::TensorProto *stored = nullptr; // instead of everything else
};

class NodeSteps {
public:
    using Names = std::vector<std::string>;

    NodeSteps(const Graph &graph, onnx::GraphProto &proto, WrittenForm form);

    // Later calls are for this operator, whose first output has this name in the file.
    void begin(const Operator &op, std::string output)
    {
        m_op = &op;
        m_output = std::move(output);
    }
    [[nodiscard]] const Operator &op() const { return *m_op; }
    [[nodiscard]] const WrittenForm &form() const { return m_form; }
    // The node of the file that this operator was kept from; null for other operators.
    [[nodiscard]] const SourceNode *source() const;
    [[nodiscard]] const Shape &shape(TensorId id) const { return m_graph.tensor(id).shape; }
    [[nodiscard]] const std::string &name(TensorId id) const { return m_graph.tensor(id).name; }
    [[nodiscard]] const std::string &output() const { return m_output; }

    std::string fresh(const std::string &wanted); // a unique name

    void reserve(const std::string &name) { m_names.insert(name); }
    onnx::NodeProto &node(const std::string &type, const std::string &name, const Names &inputs, const Names &outputs);
    void node(onnx::NodeProto added);
    // Adds a node besides the operator's own, named after it; returns the name of its output.
    std::string step(const char *type, const std::string &suffix, const Names &inputs);
    [[nodiscard]] onnx::NodeProto &lastNode();

    // These add a weight and return its name.
    std::string weight(Parameter parameter);
    std::string weight(const std::string &name, const Constant &constant, int elementType);
    std::string weight(const onnx::TensorProto &stored);
    std::string weight(const std::string &suffix, Shape shape, SharedValues values, DataType type = DataType::Float32);
    [[nodiscard]] int elementTypeOf(const Constant &constant) const; // in the written file
    // The names of the given parameters that the operator has, in order.
    Names weights(std::initializer_list<std::string_view> roles);

    std::string part(const std::vector<TensorId> &summands); // their sum as one tensor
    std::string input();                                     // the input expression as one tensor

    [[nodiscard]] std::vector<WrittenWeight> takeWeights() { return std::move(m_weights); }

private:
    std::string add(WrittenWeight weight, const void *values);
    // The integers that the file has for these values, and the node that makes those of them; returns its output.
    // Empty: the file has the values themselves, or they are not written in their own shape and type.
    std::string dequantised(const void *values, const Shape &shape, int elementType);
    std::string operand(const SourceOperand &operand, std::string_view name);
    [[nodiscard]] int elementTypeFor(DataType type) const;

    const Graph &m_graph;
    onnx::GraphProto &m_proto;
    WrittenForm m_form;
    const Operator *m_op = nullptr;
    std::string m_output;
    std::vector<WrittenWeight> m_weights;
    // Values that several operators read are written once: by address, shape and type.
    std::map<std::tuple<const void *, std::vector<std::int64_t>, int>, std::string> m_written;
    std::unordered_set<std::string> m_names;
};

void setInts(onnx::NodeProto &to, const char *key, const std::vector<std::int64_t> &values);
void setInt(onnx::NodeProto &to, const char *key, std::int64_t value);
// The second operand is broadcast to the first, which older opsets have to state.
void setBroadcast(onnx::NodeProto &to, const WrittenForm &form);
void setFloat(onnx::NodeProto &to, const char *key, float value);

} // namespace stagecraft
