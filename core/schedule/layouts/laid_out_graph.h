#pragma once

// Graphs whose tensors state their layouts (Tensor::layout): what a device executes to try an assignment, and to
// profile operators and conversions. A conversion is an operator of its own: the identity, written in another layout.

#include "graph/graph.h"
#include "schedule/layouts/layout_problem.h"
#include "schedule/schedule.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

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
    // A stage with inputs of its own, which its operators share as they do in the graph; a pair for each operator, in
    // ascending order. Returns the stage in the profile graph.
    [[nodiscard]] Result<Stage> addStage(const Stage &stage, std::span<const LayoutPair> pairs,
                                         std::span<const TensorLayout> layouts);
    [[nodiscard]] Result<OperatorId> addConversion(const Shape &shape, TensorLayout from, TensorLayout to);

    [[nodiscard]] Result<Graph> build() { return m_builder.build(); }

private:
    // Tensors of the graph that are there already, in the layouts in which they are read.
    using Copies = std::map<std::pair<std::size_t, TensorLayout>, TensorId>;

    [[nodiscard]] Result<OperatorId> addOperator(const std::string &name, OperatorId id, TensorLayout in,
                                                 TensorLayout out, Copies &copies);
    [[nodiscard]] static std::string nameOf(TensorLayout in, TensorLayout out, const std::string &what);
    [[nodiscard]] Result<OperatorId> add(Operator op, std::vector<Tensor> outputs);

    const Graph &m_graph;
    GraphBuilder m_builder;
    std::size_t m_operators = 0;
    std::size_t m_stages = 0;
};

} // namespace stagecraft
