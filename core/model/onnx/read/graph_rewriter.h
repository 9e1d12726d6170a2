#pragma once

// Writes the nodes of a graph of a model file anew, with some of them replaced by those that they stand for. Shared by
// what does so before a file is read; private to this folder.

#include <cstdint>
#include <google/protobuf/repeated_field.h>
#include <onnx/onnx_pb.h>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stagecraft::rewriting {

using NewNames = std::unordered_map<std::string, std::string>;

// Names of tensors that are there already.
class TakenNames {
public:
    // False if it is there.
    bool insert(const std::string &name) { return m_names.insert(name).second; }
    // A name like the wanted one that was not there, and then is.
    [[nodiscard]] std::string fresh(const std::string &wanted);

private:
    std::unordered_set<std::string> m_names;
    std::unordered_map<std::string, int> m_next; // number to try, by the name that was wanted
};

// Renames what the node reads and makes, also within its subgraphs, but for what these define themselves. Names that
// are not in the table stay.
void rename(onnx::NodeProto &node, const NewNames &names);
[[nodiscard]] std::string renamed(const std::string &text, const NewNames &names);

// Null if there is none.
[[nodiscard]] const onnx::AttributeProto *attributeOf(const onnx::NodeProto &node, const std::string &name);
[[nodiscard]] std::int64_t integerOf(const onnx::NodeProto &node, const std::string &name, std::int64_t fallback);
[[nodiscard]] std::vector<std::int64_t> integersOf(const onnx::NodeProto &node, const std::string &name);

// The node's name, or that of its first output.
[[nodiscard]] std::string labelOf(const onnx::NodeProto &node);

// Of tensors in the graph and in all graphs within.
void addNames(const onnx::GraphProto &graph, TakenNames &names);

// How many these are, with those in all graphs within.
[[nodiscard]] std::int64_t nodesIn(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);

class GraphRewriter {
public:
    // Takes the nodes out of the graph. Both outlive this; names that it makes up differ from `taken`, and join them.
    GraphRewriter(onnx::GraphProto &graph, std::int64_t opset, TakenNames &taken);

    [[nodiscard]] google::protobuf::RepeatedPtrField<onnx::NodeProto> &old() { return m_old; }
    void keep(onnx::NodeProto &node);

    onnx::NodeProto &addNode(const std::string &type, const std::vector<std::string> &inputs,
                             const std::string &output);
    static void setInteger(onnx::NodeProto &node, const std::string &name, std::int64_t value);
    // An initializer of one number, or of a list; its name.
    std::string addNumber(const std::string &label, int type, std::int64_t value);
    std::string addIntegers(const std::string &label, const std::vector<std::int64_t> &values);
    // Unsqueeze and Squeeze have their axes as an operand from opset 13 on.
    std::string addUnsqueeze(const std::string &value, std::int64_t axis);
    void addSqueeze(const std::string &value, std::int64_t axis, const std::string &output);

    [[nodiscard]] std::string fresh(const std::string &wanted) { return m_taken.fresh(wanted); }
    // A new name for `text` in `names`, unless it has one.
    void name(const std::string &text, const std::string &where, NewNames &names);
    // The initializers of a subgraph, and its nodes, which may be copied several times; `names`: what its inputs stand
    // for, and then all it defines.
    void copyInitializers(const onnx::GraphProto &body, const std::string &where, NewNames &names);
    void copyNodes(const onnx::GraphProto &body, const std::string &where, NewNames &names);

private:
    onnx::NodeProto &addAxisNode(const std::string &type, const std::string &value, std::int64_t axis,
                                 const std::string &output);

    onnx::GraphProto &m_graph;
    std::int64_t m_opset;
    TakenNames &m_taken;
    google::protobuf::RepeatedPtrField<onnx::NodeProto> m_old;
};

} // namespace stagecraft::rewriting
