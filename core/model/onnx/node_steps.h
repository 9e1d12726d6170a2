#pragma once

// What every operator needs to become nodes of an ONNX graph: names nothing else has, nodes and their attributes,
// weights, the input expression. The nodes are those of one operator at a time.

#include "graph/graph.h"
#include "model/onnx/element_types.h"
#include "model/onnx/origin.h"

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

// What the written file is.
struct WrittenForm {
    std::int64_t opset = 17;
    RealTypes types;
    const OnnxOrigin *origin = nullptr; // of the file the graph was read from
};

// What the nodes read besides tensors, named as they name it.
struct WrittenWeight {
    Parameter parameter;
    int elementType = 0;
    std::shared_ptr<const std::vector<std::int64_t>> integers; // instead of the parameter's values, all their digits
    const onnx::TensorProto *stored = nullptr;                 // instead of all of it
};

class NodeSteps {
public:
    using Names = std::vector<std::string>;

    NodeSteps(const Graph &graph, onnx::GraphProto &proto, WrittenForm form);

    void begin(const Operator &op) { m_op = &op; } // what follows is of this operator
    [[nodiscard]] const Operator &op() const { return *m_op; }
    [[nodiscard]] const WrittenForm &form() const { return m_form; }
    // The node of the file that became this operator as it is; null for others.
    [[nodiscard]] const OriginNode *origin() const;
    [[nodiscard]] const Shape &shape(TensorId id) const { return m_graph.tensor(id).shape; }
    [[nodiscard]] const std::string &name(TensorId id) const { return m_graph.tensor(id).name; }
    [[nodiscard]] const std::string &output() const { return name(m_op->outputs.front()); }

    std::string fresh(const std::string &wanted); // a name nothing else has

    void reserve(const std::string &name) { m_names.insert(name); }
    onnx::NodeProto &node(const std::string &type, const std::string &name, const Names &inputs, const Names &outputs);
    void node(onnx::NodeProto added);
    // A node besides the operator's own, named after it; the name of what it makes.
    std::string step(const char *type, const std::string &suffix, const Names &inputs);
    [[nodiscard]] onnx::NodeProto &lastNode();

    // These add a weight and are its name.
    std::string weight(Parameter parameter);
    std::string weight(const std::string &name, const Constant &constant, int elementType);
    std::string weight(const onnx::TensorProto &stored);
    std::string weight(const std::string &suffix, Shape shape, std::vector<float> values,
                       DataType type = DataType::Float32);
    // The names of those of the parameters that the operator has, in order.
    Names weights(std::initializer_list<std::string_view> roles);

    std::string part(const std::vector<TensorId> &summands); // their sum as one tensor
    std::string input();                                     // the input expression as one tensor

    [[nodiscard]] std::vector<WrittenWeight> takeWeights() { return std::move(m_weights); }

private:
    std::string add(WrittenWeight weight, const void *values);

    const Graph &m_graph;
    onnx::GraphProto &m_proto;
    WrittenForm m_form;
    const Operator *m_op = nullptr;
    std::vector<WrittenWeight> m_weights;
    // Values that several operators read are written once: where they lie, their shape and type.
    std::map<std::tuple<const void *, std::vector<std::int64_t>, int>, std::string> m_written;
    std::unordered_set<std::string> m_names;
};

void setInts(onnx::NodeProto &to, const char *key, const std::vector<std::int64_t> &values);
void setInt(onnx::NodeProto &to, const char *key, std::int64_t value);
// The second operand stretches over the first, which older opsets ask for explicitly.
void setBroadcast(onnx::NodeProto &to, const WrittenForm &form);
void setFloat(onnx::NodeProto &to, const char *key, float value);

} // namespace stagecraft
