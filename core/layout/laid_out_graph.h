#pragma once

// Graphs whose tensors state their layouts (Tensor::layout): what a device executes to try an assignment, and to
// profile operators and conversions. A conversion is an operator of its own: the identity, written in another layout.

#include "graph/graph.h"
#include "layout/layout_search.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stagecraft {

// "NCHW" is row-major; upper and lower case are the same. Empty: no device executes a layout of this name.
[[nodiscard]] std::optional<TensorLayout> tensorLayoutOf(std::string_view name);

// Only images have a choice of layout.
[[nodiscard]] bool isImage(const Tensor &tensor);

// The pairs of layouts in which executing devices may be asked to run an operator. Convolutions read and write any;
// what keeps the shape of its input keeps its layout, the others write NCHW.
[[nodiscard]] std::vector<LayoutPair> layoutPairsOf(const Graph &graph, OperatorId id,
                                                    std::span<const TensorLayout> layouts);

// The graph with the conversions of an assignment before their first readers. Its outputs have the names of the tensors
// or of their copies. Errors: InvalidInput, naming a layout that no device executes.
[[nodiscard]] Result<Graph> laidOut(const Graph &graph, const LayoutProblem &problem,
                                    const LayoutAssignment &assignment);

// Operators to be profiled, each by itself, with inputs of its own. Weights are drawn anew: latencies do not depend on
// them.
class ProfileGraph {
public:
    explicit ProfileGraph(const Graph &graph) : m_graph(graph), m_builder(graph.name() + " (layouts)") {}

    // Returns its id in the profile graph.
    [[nodiscard]] Result<OperatorId> addOperator(OperatorId id, TensorLayout in, TensorLayout out);
    [[nodiscard]] Result<OperatorId> addConversion(const Shape &shape, TensorLayout from, TensorLayout to);

    [[nodiscard]] Result<Graph> build() { return m_builder.build(); }

private:
    [[nodiscard]] static std::string nameOf(TensorLayout in, TensorLayout out, const std::string &what);
    [[nodiscard]] Result<OperatorId> add(Operator op, std::vector<Tensor> outputs);

    const Graph &m_graph;
    GraphBuilder m_builder;
    std::size_t m_operators = 0;
};

} // namespace stagecraft
