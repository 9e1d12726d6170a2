#pragma once

// Names that other programs give kernels and layers, bound to the operators of a model. Programs join nodes, rename
// them and put copies between them: the rules are here, one after the other, and each answer says which one it was.

#include "model/model.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stagecraft {

enum class MappedBy {
    Name,         // of a node of the model
    OutputTensor, // a tensor that the operator makes
    FusedNames, // several nodes: "Conv_5 + Add_6 + Relu_7", "PWN(Sigmoid_1, Mul_2)", of an exported model "conv1+conv2"
    NodesBetween, // "{ForeignNode[first...last]}"
    CopyFor,      // a copy or reshape for an operator: "Reformatting CopyNode for Input Tensor 0 to Conv_37"
    Renamed,      // a node that was given another name: "conv1_nchwc", "fused Conv_0"
    Launcher,     // by any of these, what launched the kernel: a marked range, a node
    GraphNode,    // the same node of a CUDA graph was mapped elsewhere
    TypeShapeOrder,
    TypeOrder,
};

[[nodiscard]] std::string_view toString(MappedBy by);

struct NamedOperators {
    std::vector<OperatorId> operators; // ascending
    MappedBy by = MappedBy::Name;
};

// "Conv_3" of "Reformatting CopyNode for Input Tensor 0 to Conv_3" and "reshape_after_Conv_3"; empty: it is no copy.
[[nodiscard]] std::string_view copiedFor(std::string_view name);

class NodeNames {
public:
    // The model must outlive it.
    explicit NodeNames(const Model &model);

    // Empty: no rule finds an operator of the model in it.
    [[nodiscard]] std::optional<NamedOperators> find(std::string_view name) const { return find(name, kDeepest); }
    [[nodiscard]] std::optional<OperatorId> producerOf(std::string_view tensor) const;

private:
    static constexpr int kDeepest = 6; // rules within each other

    using Found = std::optional<NamedOperators>;

    [[nodiscard]] std::optional<OperatorId> node(std::string_view name) const;
    [[nodiscard]] Found find(std::string_view name, int deepest) const;
    [[nodiscard]] Found between(std::string_view name, int deepest) const;
    [[nodiscard]] Found copyFor(std::string_view name, int deepest) const;
    [[nodiscard]] Found joined(std::string_view name, int deepest) const;
    [[nodiscard]] Found merged(std::string_view name, int deepest) const;
    [[nodiscard]] Found renamed(std::string_view name, int deepest) const;

    const Graph &m_graph;
    std::unordered_map<std::string_view, OperatorId> m_taken;   // nodes of the file that became part of a unit
    std::unordered_map<std::string_view, OperatorId> m_tensors; // that operators make
};

} // namespace stagecraft
