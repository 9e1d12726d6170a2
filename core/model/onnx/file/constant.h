#pragma once

// A constant of a model file while it is being read: weights, and the small integer tensors that describe shapes.

#include "graph/tensor.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class TensorProto;
} // namespace onnx

namespace stagecraft {

struct Constant {
    std::vector<std::int64_t> dims;
    DataType type = DataType::Float32;
    // Floating-point values (double is stored in single precision), or integer and boolean values; the other is empty.
    std::shared_ptr<const std::vector<float>> floats;
    std::shared_ptr<const std::vector<std::int64_t>> ints;
    int elementType = 0; // ONNX's number for the type in the file; 0 if computed

    [[nodiscard]] bool isFloat() const { return floats != nullptr; }
    [[nodiscard]] std::size_t size() const { return floats ? floats->size() : ints->size(); }
    [[nodiscard]] std::shared_ptr<const std::vector<float>> asFloats() const;
    [[nodiscard]] std::vector<std::int64_t> asInts() const; // floats are truncated
};

[[nodiscard]] Constant intConstant(std::vector<std::int64_t> dims, std::vector<std::int64_t> values);
[[nodiscard]] Constant floatConstant(std::vector<std::int64_t> dims, std::vector<float> values);

// Number of elements; empty if a size is negative or the product exceeds 2^36.
[[nodiscard]] std::optional<std::int64_t> elementCount(const std::vector<std::int64_t> &dims);

// The values of a tensor in the file. External data is only read from `folder`.
[[nodiscard]] Result<Constant> decodeTensor(const onnx::TensorProto &tensor, const std::filesystem::path &folder);

// The files with initializers of the graph, without repeats.
[[nodiscard]] std::vector<std::string> externalFiles(const onnx::GraphProto &graph,
                                                     const std::filesystem::path &folder);

[[nodiscard]] DataType dataTypeOf(int onnxType);

} // namespace stagecraft
