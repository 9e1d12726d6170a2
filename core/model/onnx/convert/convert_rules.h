#pragma once

// The rules that turn single nodes into operators of a specific kind, for the table in convert.cpp.

#include "model/onnx/file/node.h"
#include "support/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::convert_rules {

using Converted = std::optional<Result<Operator>>; // empty: keep the node as in the file

// Whether the node's first input is a tensor of real numbers: ONNX has pooling and the like for no other types.
[[nodiscard]] bool readsRealNumbers(const OnnxNode &node);

// An operator that reads the node's first input.
[[nodiscard]] Operator reading(const OnnxNode &node, OperatorKind kind, Attributes attributes);

[[nodiscard]] Parameter parameterOf(const OnnxNode &node, std::string_view role, Shape shape, SharedValues values,
                                    DataType type = DataType::Float32);
[[nodiscard]] Parameter parameterOf(const OnnxNode &node, std::string_view role, const Constant &constant);

// convert_windows.cpp: windows that slide over an image or cover it.
[[nodiscard]] Converted convertConv(const OnnxNode &node);
[[nodiscard]] Converted convertPool(const OnnxNode &node);
[[nodiscard]] Converted convertReduceMean(const OnnxNode &node);

// convert_arithmetic.cpp: products, sums and joins of whole tensors.
[[nodiscard]] Converted convertBatchNorm(const OnnxNode &node);
[[nodiscard]] Converted convertMatMul(const OnnxNode &node);
[[nodiscard]] Converted convertGemm(const OnnxNode &node);
[[nodiscard]] Converted convertSum(const OnnxNode &node);
[[nodiscard]] Converted convertConcat(const OnnxNode &node);

// convert_activations.cpp
[[nodiscard]] Converted convertActivation(const OnnxNode &node);
[[nodiscard]] Converted convertPRelu(const OnnxNode &node);
[[nodiscard]] Converted convertClip(const OnnxNode &node);

} // namespace stagecraft::convert_rules
