#pragma once

// Operator merge: convolutions, or matrix products with weights, that read the same input become one bigger one
// followed by a split: of channels, or of columns. Source: IOS, section 3 ("Operator Merge"); of products: the stacked
// Q, K and V of transformers (Shoeybi et al., Megatron-LM, 2019, section 3). Operators of equal shape with inputs of
// their own become one on the inputs joined by channels or columns: convolutions one with the groups of all, as
// ResNeXt's branches do (Xie et al., 2017, section 3.3), products one whose columns are multiplied in groups, each by
// its own weight, as the experts of a layer are (Gale et al., MegaBlocks, 2023).

#include "graph/graph.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

// The operators, of which none needs another, as one, without parameters: output channels or columns stacked in the
// order of `operators`, kernels padded to the largest. Several inputs: those of operators that read tensors of their
// own. Refuses, with the reason: fewer than two operators; kinds other than Conv and Gemm, and both together; different
// activations, or activations with slopes of their own; some that read the same tensor beside others. With inputs of
// their own: different sizes or attributes. Of convolutions that read the same: different stride, dilation or output
// resolution; groups other than 1; Relu-Conv units, which the published implementation does not merge either; kernels
// that cannot be centred exactly (sizes of different parity, or paddings that do not grow with the kernel). Of
// products: two tensors; weights of which one is stored transposed; a bias that is not one value a column.
[[nodiscard]] Result<Operator> mergedOperator(const Graph &graph, std::span<const OperatorId> operators);

// Where the operator's output lies in the output of a merge: the axis along which outputs are stacked, the channels of
// an image or the columns of a product, and how many of it are the operator's.
[[nodiscard]] std::size_t mergeAxis(const Graph &graph, OperatorId op);
[[nodiscard]] std::int64_t mergeExtent(const Operator &op);
// Whether operators read the same tensors: those that do are merged as published, others with inputs of their own.
[[nodiscard]] bool readTheSame(const Graph &graph, std::span<const OperatorId> operators);
// What the merged operator reads: the inputs joined by channels or columns.
[[nodiscard]] Shape mergedInputShape(const Graph &graph, const Operator &merged);
// Of operators that can be merged.
[[nodiscard]] Shape mergedShape(const Graph &graph, std::span<const OperatorId> operators);

// Its weights, row-major: the members' kernels one after another, each centred in the merged one, or the members'
// columns beside each other. Its bias: zero for members without a bias.
[[nodiscard]] std::shared_ptr<const std::vector<float>>
mergedWeights(const Graph &graph, std::span<const OperatorId> operators, const Operator &merged);
[[nodiscard]] std::shared_ptr<const std::vector<float>> mergedBias(const Graph &graph,
                                                                   std::span<const OperatorId> operators);

// The merged operator with its weight and bias, which it has if one of the members has one.
[[nodiscard]] Operator mergedWithConstants(const Graph &graph, std::span<const OperatorId> operators);

} // namespace stagecraft
