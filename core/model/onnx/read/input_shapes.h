#pragma once

// Sizes of a file's inputs: those it states, the requested batch, and common values for those that it leaves open.

#include "model/onnx_import.h"
#include "operators/tensor.h"

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
    std::int64_t length = 128; // for inputs that are not images
};

// Not every model runs at every size: if the first does not fit, the others are tried.
[[nodiscard]] std::span<const AssumedSizes> assumedSizes();

class InputShapes {
public:
    // `batch`: 0 for the file's own. Choices are reported in `notes`, which outlive this.
    InputShapes(std::int64_t batch, const AssumedSizes &sizes, std::vector<ImportNote> &notes);

    // `given`: its values, where they are known. Refuses inputs that are not tensors, have no shape, or have invalid
    // sizes.
    [[nodiscard]] Result<Shape> shapeOf(const onnx::ValueInfoProto &input, const Constant *given = nullptr);

    // The last shape that was chosen for an open one, for messages; empty if none was.
    [[nodiscard]] const std::string &assumed() const { return m_assumed; }
    // The file's batch, if another one is asked for.
    [[nodiscard]] std::optional<std::int64_t> ownBatch() const { return m_ownBatch; }

private:
    [[nodiscard]] std::int64_t assumedSize(const onnx::TensorShapeProto_Dimension &dim, int axis, int rank);

    std::int64_t m_batch;
    AssumedSizes m_sizes;
    std::vector<ImportNote> &m_notes;
    std::unordered_map<std::string, std::int64_t> m_named; // sizes with the same name are equal
    std::optional<std::int64_t> m_ownBatch;
    std::string m_assumed;
};

} // namespace stagecraft
