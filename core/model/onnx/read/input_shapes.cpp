#include "model/onnx/read/input_shapes.h"

#include "model/onnx/file/constant.h"
#include "model/onnx/refusal.h"

#include <algorithm>
#include <array>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 24; // far beyond any dimension of a real input

constexpr std::array kAssumed{
    AssumedSizes{224, 224, 128}, AssumedSizes{320, 320, 512},  AssumedSizes{48, 320, 256},  AssumedSizes{32, 320, 1024},
    AssumedSizes{299, 299, 64},  AssumedSizes{640, 640, 2048}, AssumedSizes{256, 256, 32},  AssumedSizes{512, 512, 16},
    AssumedSizes{128, 128, 8},   AssumedSizes{64, 64, 4},      AssumedSizes{32, 32, 16000}, AssumedSizes{28, 28, 1},
};

bool isOpen(const onnx::TensorShapeProto::Dimension &dim)
{
    return !dim.has_dim_value() || dim.dim_value() == -1;
}

} // namespace

std::span<const AssumedSizes> assumedSizes()
{
    return kAssumed;
}

InputShapes::InputShapes(std::int64_t batch, const AssumedSizes &sizes, std::vector<ImportNote> &notes)
    : m_batch(batch), m_sizes(sizes), m_notes(notes)
{
}

Result<Shape> InputShapes::shapeOf(const onnx::ValueInfoProto &input, const Constant *given)
{
    if (!input.type().has_tensor_type())
        return refuseModel("it is not a tensor", "Export a model whose inputs are tensors");
    if (!input.type().tensor_type().has_shape())
        return refuseModel("it has no shape", "Export the model with the shapes of its inputs");
    const auto &dims = input.type().tensor_type().shape().dim();
    Shape shape;
    std::string open;
    for (int i = 0; i < dims.size(); ++i) {
        const auto &dim = dims[i];
        const bool isEmpty = dim.has_dim_value() && dim.dim_value() == 0 && given && given->size() == 0;
        if (!isOpen(dim) && !isEmpty && (dim.dim_value() < 1 || dim.dim_value() > kMaxSize))
            return refuseModel("its size " + std::to_string(dim.dim_value()) + " makes no sense");
        shape.dims.push_back(isOpen(dim) ? assumedSize(dim, i, dims.size()) : dim.dim_value());
        if (isOpen(dim) && i > 0 && (dim.dim_param().empty() || dim.dim_param() != dims[0].dim_param()))
            open += (open.empty() ? "" : ", ") + std::to_string(shape.dims.back());
    }
    if (!shape.dims.empty() && m_batch > 0) {
        if (!m_ownBatch)
            m_ownBatch = isOpen(dims[0]) ? 1 : shape.dims[0];
        if (isOpen(dims[0]) || shape.dims[0] == m_ownBatch)
            shape.dims[0] = m_batch;
    }
    if (!elementCount(shape.dims))
        return refuseModel("its shape " + toString(shape) + " is absurd");
    if (!dims.empty() && !dims[0].has_dim_value() && m_batch == 0)
        m_notes.push_back(
            {ImportNote::Severity::Info, {}, "The file leaves the batch of " + input.name() + " open; 1 is used"});
    if (!open.empty()) {
        m_assumed = toString(shape) + " for " + input.name();
        m_notes.push_back(
            {ImportNote::Severity::Warning,
             {},
             "The file leaves sizes of the input " + input.name() + " open; " + toString(shape) + " is used"});
    }
    return shape;
}

// The first dimension is the batch.
std::int64_t InputShapes::assumedSize(const onnx::TensorShapeProto::Dimension &dim, int axis, int rank)
{
    std::int64_t size = m_sizes.length;
    if (axis == 0)
        size = std::max<std::int64_t>(1, m_batch);
    else if (rank == 4)
        size = axis == 1 ? 3 : axis == 2 ? m_sizes.height : m_sizes.width;
    return dim.dim_param().empty() ? size : m_named.emplace(dim.dim_param(), size).first->second;
}

} // namespace stagecraft
