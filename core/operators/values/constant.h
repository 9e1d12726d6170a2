#pragma once

// Constants with the values they have: nothing passes through a type that cannot hold it.

#include "operators/values/shared_values.h"
#include "operators/values/tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// As floats, which share the memory of `values` where that holds floats.
[[nodiscard]] std::shared_ptr<const std::vector<float>> floatsOf(const SharedValues &values);
// Real numbers are truncated; those beyond int64 give 0.
[[nodiscard]] std::vector<std::int64_t> integersOf(const ConstantValues &values);

[[nodiscard]] SharedValues truthsOf(const ConstantValues &values); // what differs from 0

// Element types by their ONNX numbers (TensorProto.DataType).
inline constexpr int kTruthElement = 9;
[[nodiscard]] DataType dataTypeOf(int elementType);
[[nodiscard]] int elementTypeOf(DataType type); // 0 for Other

// A constant of a model: weights, and the small integer tensors that describe shapes. `values` are never null.
struct Constant {
    std::vector<std::int64_t> dims;
    DataType type = DataType::Float32;
    SharedValues values;
    int elementType = 0; // ONNX's number for the type in the file, which may be finer; 0 if computed
    // Of real numbers that a DequantizeLinear makes of integers in the file: the type of those.
    std::optional<DataType> storedType = {};

    [[nodiscard]] bool isFloat() const { return values.areReal(); }
    [[nodiscard]] std::size_t size() const { return values.count(); }
    [[nodiscard]] std::shared_ptr<const std::vector<float>> asFloats() const { return floatsOf(values); }
    [[nodiscard]] std::vector<std::int64_t> asInts() const { return integersOf(*values); }
};

[[nodiscard]] Constant intConstant(std::vector<std::int64_t> dims, std::vector<std::int64_t> values);
[[nodiscard]] Constant floatConstant(std::vector<std::int64_t> dims, std::vector<float> values);

// Number of elements; empty if a size is negative or the product exceeds 2^36.
[[nodiscard]] std::optional<std::int64_t> elementCount(const std::vector<std::int64_t> &dims);

} // namespace stagecraft
