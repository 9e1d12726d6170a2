#pragma once

// Which operators of a graph compute on integers of 8 bits. Two forms say so (ONNX's quantisation guide): operators of
// integers (QLinearConv, MatMulInteger, ...), and operators of real numbers that stand between DequantizeLinear and
// QuantizeLinear, with an activation behind them or not: runtimes execute them as one operator of integers together
// with these two. A unit of several operators is of integers if all that it computes is.

#include "graph/graph.h"

#include <vector>

namespace stagecraft {

enum class QuantisedRole {
    None,
    Integers,   // a convolution or product of integers, or an operator between the two
    Conversion, // part of one: it converts what only such operators read, or what one makes
};

// By operator; empty if no operator has a role.
[[nodiscard]] std::vector<QuantisedRole> quantisedRoles(const Graph &graph);

// A convolution or product that reads integers of 8 bits, and whose arithmetic is known.
[[nodiscard]] bool multipliesIntegers(const Graph &graph, OperatorId id);

} // namespace stagecraft
