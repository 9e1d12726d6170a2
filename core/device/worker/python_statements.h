#pragma once

// What a worker that computes with PyTorch runs: statements of Python, in which tensors are members of `t` and
// constants of `self`. Who has the code of operators makes them (export/pytorch_module/operator_python.h).

#include "graph/graph.h"
#include "support/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace stagecraft {

struct PythonStatements {
    struct Constant {
        std::string name;
        OperatorId op;
        std::size_t parameter = 0; // of the operator
    };
    std::vector<std::string> tensors; // names, by tensor of the graph
    std::vector<Constant> constants;
    std::vector<std::vector<std::string>> operators; // by operator of the graph
};

// Of operators that run as one.
struct PythonMergeStatements {
    std::vector<std::string> lines;
    std::string weight;   // name of the constant
    std::string bias;     // empty: none of them has one
    std::size_t axis = 0; // along which the members' weights are stacked
};

struct PythonMaker {
    // InvalidInput, naming the operator: there is no code for it.
    std::function<Result<PythonStatements>(const Graph &graph)> ofGraph;
    // Errors: those of mergedOperator().
    std::function<Result<PythonMergeStatements>(const Graph &graph, const std::vector<OperatorId> &operators)> ofMerge;
};

} // namespace stagecraft
