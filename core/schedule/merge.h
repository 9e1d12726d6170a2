#pragma once

// Operator merge: convolutions that read the same input become one bigger convolution followed by a split.
// Source: IOS, section 3 ("Operator Merge").

#include "graph/graph.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

// The merged convolution as an operator: kernels padded to the largest, output channels stacked in the order of
// `operators`, without parameters. Refuses, with the reason: fewer than two operators; a kind other than Conv;
// different inputs, stride, dilation, activation or output resolution; groups other than 1; Relu-Conv units, which the
// published implementation does not merge either; kernels that cannot be centred exactly (sizes of different parity, or
// paddings that do not grow with the kernel).
[[nodiscard]] Result<Operator> mergedOperator(const Graph &graph, std::span<const OperatorId> operators);

// Its weights, row-major: the members' kernels one after another, each centred in the merged one. Its bias: zero for
// members without a bias.
[[nodiscard]] std::shared_ptr<const std::vector<float>>
mergedWeights(const Graph &graph, std::span<const OperatorId> operators, const Operator &merged);
[[nodiscard]] std::shared_ptr<const std::vector<float>> mergedBias(const Graph &graph,
                                                                   std::span<const OperatorId> operators);

// The merged convolution with its weight and bias, which it has if one of the members has one.
[[nodiscard]] Operator mergedWithConstants(const Graph &graph, std::span<const OperatorId> operators);

} // namespace stagecraft
