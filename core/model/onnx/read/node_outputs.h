#pragma once

// What a node of a model file makes: shapes by the rules of the schema and of the operator table, or as the file states
// them, and types.

#include "graph/graph.h"
#include "model/onnx/file/file_names.h"
#include "model/onnx/file/node.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

class GraphFile;

// Of the node's outputs, where one before them has no name: the operator keeps their places.
void keepPlaces(const OnnxNode &node, Operator &op);

// By output; empty if no rule tells. `op`: what the node becomes in `graph`.
[[nodiscard]] Result<std::optional<std::vector<Shape>>> outputShapesOf(const OnnxNode &node, const Operator &op,
                                                                       const GraphBuilder &graph);

[[nodiscard]] DataType outputTypeOf(const OnnxNode &node, std::size_t output);

// The shape stated in the file, for a tensor without a shape rule, with `batch` in the place of `ownBatch`, the file's,
// if there is one. Not known: the file states none, or leaves sizes open.
[[nodiscard]] Shape declaredShape(const GraphFile &file, NameId name, std::optional<std::int64_t> ownBatch,
                                  std::int64_t batch);

} // namespace stagecraft
