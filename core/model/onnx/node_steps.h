#pragma once

// What every operator needs to become nodes of an ONNX graph: names nothing else has, nodes and their attributes,
// weights, the input expression. The nodes are those of one operator at a time.

#include "graph/graph.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

class NodeSteps {
public:
    using Names = std::vector<std::string>;

    NodeSteps(const Graph &graph, onnx::GraphProto &proto);

    void begin(const Operator &op) { m_op = &op; } // what follows is of this operator
    [[nodiscard]] const Operator &op() const { return *m_op; }
    [[nodiscard]] const Shape &shape(TensorId id) const { return m_graph.tensor(id).shape; }
    [[nodiscard]] const std::string &name(TensorId id) const { return m_graph.tensor(id).name; }
    [[nodiscard]] const std::string &output() const { return name(m_op->outputs.front()); }

    std::string fresh(const std::string &wanted); // a name nothing else has

    onnx::NodeProto &node(const std::string &type, const std::string &name, const Names &inputs, const Names &outputs);
    // A node besides the operator's own, named after it; the name of what it makes.
    std::string step(const char *type, const std::string &suffix, const Names &inputs);
    [[nodiscard]] onnx::NodeProto &lastNode();

    // These add a weight and are its name.
    std::string weight(Parameter parameter);
    std::string weight(const std::string &suffix, Shape shape, std::vector<float> values,
                       DataType type = DataType::Float32);
    // The names of those of the parameters that the operator has, in order.
    Names weights(std::initializer_list<std::string_view> roles);

    std::string part(const std::vector<TensorId> &summands); // their sum as one tensor
    std::string input();                                     // the input expression as one tensor

    [[nodiscard]] std::vector<Parameter> takeWeights() { return std::move(m_weights); }

private:
    const Graph &m_graph;
    onnx::GraphProto &m_proto;
    const Operator *m_op = nullptr;
    std::vector<Parameter> m_weights;
    std::unordered_set<std::string> m_names;
};

void setInts(onnx::NodeProto &to, const char *key, const std::vector<std::int64_t> &values);
void setInt(onnx::NodeProto &to, const char *key, std::int64_t value);
void setFloat(onnx::NodeProto &to, const char *key, float value);

} // namespace stagecraft
