#pragma once

// Nodes of a model file that become constants while it is read, kept on request (OpenRequest::keepFolded), so that
// the graph can be looked at with them.

#include "graph/graph.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stagecraft {

struct FoldedNode {
    enum class Why {
        Evaluated,      // by the pass fold-constants
        PassesConstant, // left out by the pass remove-identities
    };

    Why why = Why::Evaluated;
    std::string name;
    std::string type;
    std::size_t place = 0;           // the operators of the graph that come before it
    std::vector<TensorId> reads;     // of the graph: for their shapes
    std::vector<std::size_t> folded; // what it reads of FoldedNodes::tensors
    std::vector<std::size_t> makes;  // of FoldedNodes::tensors
};

struct FoldedNodes {
    // An operator of the graph that has one of `tensors` as a constant.
    struct Reader {
        OperatorId op;
        std::size_t tensor = 0;
    };

    std::vector<FoldedNode> nodes; // in the order in which they were read
    std::vector<Tensor> tensors;   // that they make
    std::vector<Reader> readers;   // in the order of the graph
};

// The graph with these nodes as operators that nothing is known about, and what reads them: to be looked at. Where
// `alsoEvaluated` is false, only with those that pass a constant on.
[[nodiscard]] Graph withFolded(const Graph &graph, const FoldedNodes &folded, bool alsoEvaluated);

} // namespace stagecraft
