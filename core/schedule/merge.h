#pragma once

// Operator merge: convolutions that read the same input become one bigger convolution followed by a split.
// Source: IOS, section 3 ("Operator Merge").

#include "graph/graph.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

// The merged convolution as an operator of its own: kernels padded to the largest, output channels stacked in the order
// of `operators`. Parameters are left empty. Refuses, saying why: fewer than two operators; another kind than Conv;
// different inputs, stride, dilation, activation or output resolution; groups other than 1; Relu-Conv units, which the
// published engine does not merge either; kernels whose centring would not be exact (sizes of different parity, or
// paddings that do not grow with the kernel).
[[nodiscard]] Result<Operator> mergedOperator(const Graph &graph, std::span<const OperatorId> operators);

// Its weights, row-major: the members' kernels, each centred in the merged one, one after another. Its bias: zero for
// members that have none.
[[nodiscard]] std::shared_ptr<const std::vector<float>>
mergedWeights(const Graph &graph, std::span<const OperatorId> operators, const Operator &merged);
[[nodiscard]] std::shared_ptr<const std::vector<float>> mergedBias(const Graph &graph,
                                                                   std::span<const OperatorId> operators);

} // namespace stagecraft
