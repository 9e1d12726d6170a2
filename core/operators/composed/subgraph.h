#pragma once

// Operators that execute one of their subgraphs: an If whose condition is computed. Each branch reads operands of the
// If and makes its outputs; sizes are the larger ones of both, arithmetic is that of the larger branch. Private to
// core/operators.

#include "operators/kernels/kernel.h"
#include "operators/node_facts.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft::subgraph {

// For the operator table.
[[nodiscard]] Result<std::vector<Shape>> shapesOfBranches(const NodeFacts &node);
[[nodiscard]] DataType resultType(const NodeFacts &node, std::size_t output);
[[nodiscard]] double multiplyAddsOfBranches(const NodeFacts &node, const Shape &output);
[[nodiscard]] Result<void> runBranch(KernelCall &call);

// Of an operator of a type with subgraphs: which of them the program could not read, and why ("then_branch is a graph
// with Loop"). Empty if there is none.
[[nodiscard]] std::string missing(const Operator &op);

} // namespace stagecraft::subgraph
