#pragma once

// A tensor: a value that flows between operators. Shapes are NCHW for images, batch first for everything else.

#include "operators/values/tensor_layout.h"
#include "support/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// Add new ones at the end: signatures and messages use these numbers.
enum class DataType {
    Float32,
    Float16,
    Int64,
    Int32,
    Int8,
    UInt8,
    Bool,
    Other,
    Float64,
    BFloat16,
    Int16,
    UInt16,
    UInt32,
    UInt64
};

[[nodiscard]] std::string_view toString(DataType type);
[[nodiscard]] std::int64_t sizeBytes(DataType type);
[[nodiscard]] bool isFloatingPoint(DataType type);

struct Shape {
    std::vector<std::int64_t> dims;
    bool known = true;   // false after an operator without a shape rule; dims are then empty
    bool atMost = false; // values decide how many elements there are; dims are the largest

    [[nodiscard]] std::int64_t elements() const; // product of dims; 0 if unknown
    // Three sizes that are an image: channels, height, width.
    [[nodiscard]] bool isImageWithoutBatch() const
    {
        constexpr std::int64_t kSmallestImage = 16;
        return dims.size() == 3 && dims[0] == 3 && dims[1] >= kSmallestImage && dims[2] >= kSmallestImage;
    }
    [[nodiscard]] std::int64_t batch() const { return dims.empty() ? 1 : dims[0]; }
    [[nodiscard]] std::int64_t channels() const { return dims.size() < 2 ? 1 : dims[1]; }
    [[nodiscard]] std::int64_t height() const { return dims.size() < 3 ? 1 : dims[2]; }
    [[nodiscard]] std::int64_t width() const { return dims.size() < 4 ? 1 : dims[3]; }

    friend bool operator==(const Shape &, const Shape &) = default;
};

// "1x64x56x56", or "unknown".
[[nodiscard]] std::string toString(const Shape &shape);

struct Tensor {
    std::string name;
    Shape shape;
    DataType type = DataType::Float32;
    OperatorId producer; // invalid for graph inputs
    // The layout that executing devices have to give it; empty: theirs to choose. Of images only.
    std::optional<TensorLayout> layout{};

    [[nodiscard]] std::int64_t sizeBytes() const { return shape.elements() * stagecraft::sizeBytes(type); }
};

// Only images have a choice of layout.
[[nodiscard]] inline bool isImage(const Tensor &tensor)
{
    return tensor.shape.known && tensor.shape.dims.size() == 4 && tensor.type == DataType::Float32;
}

} // namespace stagecraft
