#pragma once

// Multiply-adds of products, convolutions and recurrent layers that are kept as in the file: rules of the operator
// table (OperatorSchema::multiplyAdds). Private to core/operators.

#include "operators/node_facts.h"

namespace stagecraft::product_costs {

[[nodiscard]] double convolution(const NodeFacts &node, const Shape &output);
[[nodiscard]] double transposedConvolution(const NodeFacts &node, const Shape &output);
[[nodiscard]] double matrixProduct(const NodeFacts &node, const Shape &output);
[[nodiscard]] double generalProduct(const NodeFacts &node, const Shape &output);
[[nodiscard]] double recurrent(const NodeFacts &node, const Shape &output);
[[nodiscard]] double einsum(const NodeFacts &node, const Shape &output);

// Of a node that is part of an operator: also half of what else it computes, by the table.
[[nodiscard]] double ofPart(const NodeFacts &node, const Shape &output);

} // namespace stagecraft::product_costs
