#pragma once

// Sizes of a file's inputs: those it gives, the batch that is asked for, and, for those that it leaves open, some that
// models are made for.

#include "graph/tensor.h"
#include "model/onnx_import.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace onnx {
class TensorShapeProto_Dimension;
class ValueInfoProto;
} // namespace onnx

namespace stagecraft {

struct AssumedSizes {
    std::int64_t height = 224;
    std::int64_t width = 224;
    std::int64_t length = 128; // of what is no image
};

// Not every model runs at every size: where the first does not fit, the others are tried.
[[nodiscard]] std::span<const AssumedSizes> assumedSizes();

class InputShapes {
public:
    // `batch`: 0 for the file's own. What is chosen is told in `notes`, which outlive this.
    InputShapes(std::int64_t batch, const AssumedSizes &sizes, std::vector<ImportNote> &notes);

    // Refuses what is no tensor, has no shape, or has sizes that make no sense.
    [[nodiscard]] Result<Shape> shapeOf(const onnx::ValueInfoProto &input);

    // The shape chosen last for an open one, for messages; empty where none was.
    [[nodiscard]] const std::string &assumed() const { return m_assumed; }
    // Of the file, where another one is asked for.
    [[nodiscard]] std::optional<std::int64_t> ownBatch() const { return m_ownBatch; }

private:
    [[nodiscard]] std::int64_t assumedSize(const onnx::TensorShapeProto_Dimension &dim, int axis, int rank);

    std::int64_t m_batch;
    AssumedSizes m_sizes;
    std::vector<ImportNote> &m_notes;
    std::unordered_map<std::string, std::int64_t> m_named; // sizes of the same name are the same size
    std::optional<std::int64_t> m_ownBatch;
    std::string m_assumed;
};

} // namespace stagecraft
