#pragma once

// Operators and parts of networks of tokens, written as exporters to ONNX write them (opset 17): products of two
// tensors, softmax, norms and moves are operators of their own.

#include "model/networks/network_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft::parts {

// An operator that is kept as in a model file; `tensors` are operands in order, `constants` have their places.
[[nodiscard]] Operator node(std::string name, OperatorKind kind, std::string type, const std::vector<TensorId> &tensors,
                            std::vector<NamedAttribute> attributes = {}, std::vector<Parameter> constants = {});
[[nodiscard]] Parameter constant(const std::string &operatorName, std::size_t place, std::vector<std::int64_t> dims,
                                 std::vector<float> values);
[[nodiscard]] Parameter constant(const std::string &operatorName, std::size_t place, std::vector<std::int64_t> values);

// Of matrices that all dimensions before the last two count.
TensorId product(NetworkWriter &net, const std::string &name, TensorId a, TensorId b);
// [groups, rows, inner] with a weight matrix for each group: what a grouped matrix product computes.
TensorId groupedProduct(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t outFeatures);

TensorId activation(NetworkWriter &net, const std::string &name, TensorId input, ActivationKind kind);
TensorId softmax(NetworkWriter &net, const std::string &name, TensorId input); // along the last dimension
TensorId layerNorm(NetworkWriter &net, const std::string &name, TensorId input);
// "Add", "Mul", ... of two tensors that are broadcast to each other.
TensorId arithmetic(NetworkWriter &net, const std::string &name, const std::string &type, TensorId a, TensorId b);
TensorId scaled(NetworkWriter &net, const std::string &name, TensorId input, float factor);
TensorId sum(NetworkWriter &net, const std::string &name, TensorId a, TensorId b); // of one shape
// Of tensors that are equal but for the last dimension.
TensorId joinedLast(NetworkWriter &net, const std::string &name, const std::vector<TensorId> &inputs);
// Along the last dimension, into parts of these sizes.
std::vector<TensorId> splitLast(NetworkWriter &net, const std::string &name, TensorId input,
                                const std::vector<std::int64_t> &sizes);
// Rows of `data` that `indices` names, along the first dimension.
TensorId gatherRows(NetworkWriter &net, const std::string &name, TensorId data, TensorId indices);
// Twice as high and wide, each pixel repeated.
TensorId upsample(NetworkWriter &net, const std::string &name, TensorId image);

// [batch, tokens, heads * size] as [batch, heads, tokens, size], or, turned, as [batch, heads, size, tokens].
TensorId heads(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t count, bool turned = false);
// softmax(query x key / sqrt(size)) x value, with query and value as by heads(), key turned: [batch, tokens, heads *
// size of a value].
TensorId attention(NetworkWriter &net, const std::string &name, TensorId query, TensorId key, TensorId value);
// Multi-head attention of tokens [batch, tokens, width] to `context` [batch, tokens of it, its width].
TensorId multiHeadAttention(NetworkWriter &net, const std::string &name, TensorId tokens, TensorId context,
                            std::int64_t headCount, std::int64_t headSize);
// Two products with an activation between them, back to the width of the input.
TensorId feedForward(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t hidden,
                     ActivationKind kind);
// The gated form: down(SiLU(gate(x)) * up(x)).
TensorId gatedFeedForward(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t hidden);

} // namespace stagecraft::parts
