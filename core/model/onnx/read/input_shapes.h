#pragma once

// Sizes of a file's inputs: those it states, the requested batch, and common values for those that it leaves open.

#include "model/onnx_import.h"
#include "operators/values/tensor.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace onnx {
class GraphProto;
class TensorShapeProto;
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
    // Choices are reported in `report`. Both outlive this.
    InputShapes(const OpenRequest &request, const AssumedSizes &sizes, ImportReport &report);

    // `given`: the array for it, where there is one. Refuses inputs that are not tensors, have no shape, or have
    // invalid sizes.
    [[nodiscard]] Result<Shape> shapeOf(const onnx::ValueInfoProto &input, const GivenInput *given = nullptr);

    // For all inputs before the first is asked for: a chosen size, or one of an array, counts for all that have its
    // name.
    void adoptNames(const onnx::ValueInfoProto &input, const GivenInput *given = nullptr);
    // Before that, where a batch is asked for: which inputs have one.
    void adoptBatch(const onnx::GraphProto &graph);

    // WrongUse if a size was chosen for an input that the file does not have.
    [[nodiscard]] Result<void> checkChosen(const std::vector<std::string> &inputs) const;

    // Whether sizes were taken that nobody chose.
    [[nodiscard]] bool assumes() const;
    // What to do where those, or sizes that somebody chose, do not fit: names the dimensions. Empty: no size is open.
    [[nodiscard]] std::optional<std::string> remedy() const;
    // The file's batch, if another one is asked for.
    [[nodiscard]] std::optional<std::int64_t> ownBatch() const { return m_ownBatch; }

private:
    [[nodiscard]] std::int64_t assumedSize(const onnx::TensorShapeProto &shape, int axis);

    [[nodiscard]] Result<Shape> chosenShape(const onnx::ValueInfoProto &input, const std::vector<std::int64_t> &sizes);
    // The sizes of the array, if the file leaves some open and they fit the others.
    [[nodiscard]] const std::vector<std::int64_t> *arrayFor(const onnx::ValueInfoProto &input,
                                                            const GivenInput *given) const;
    void adoptBatch(const onnx::ValueInfoProto &input, Shape &shape);

    std::int64_t m_batch;
    const InputSizes &m_chosen;
    AssumedSizes m_sizes;
    ImportReport &m_report;
    std::unordered_map<std::string, std::int64_t> m_named; // sizes with the same name are equal
    std::optional<std::int64_t> m_ownBatch;
    bool m_hasOpenBatch = false;             // whether the file leaves that of an input open
    std::set<std::string> m_parameters;      // inputs that are weights
    std::vector<OpenInput> m_withOneAsBatch; // their first size is open, and no other
};

// Whether what the graph makes of its first input has to tell if that is an image without a batch: it has two or three
// sizes, and the first is not 1.
[[nodiscard]] bool mayBeOneImage(const onnx::GraphProto &graph);

// A batch was asked for, which an input of this shape does not have.
[[nodiscard]] Error oneImage(const Shape &shape);

// The inputs with sizes that the graph leaves open, with the program's first proposal.
[[nodiscard]] std::vector<OpenInput> openInputsOf(const onnx::GraphProto &graph);

} // namespace stagecraft
