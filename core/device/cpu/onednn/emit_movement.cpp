// Operators that only move values: every output element is one input element, or a fill value.

#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::cpu {
namespace {

Dims range(std::int64_t start, std::int64_t count, std::int64_t step = 1)
{
    Dims values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(start + i * step);
    return values;
}

std::vector<Dims> identity(const Dims &dims)
{
    std::vector<Dims> maps;
    for (const std::int64_t dim : dims)
        maps.push_back(range(0, dim));
    return maps;
}

// Checks that the maps fit both shapes, so that nothing outside of them is read or written.
Result<bool> emitMapped(Emitter &emitter, const Operator &op, const Place &from, const Dims &fromDims,
                        std::vector<Dims> maps, std::size_t output = 0, float fill = 0)
{
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < maps.size(); ++axis) {
        count *= static_cast<std::int64_t>(maps[axis].size());
        if (std::ranges::any_of(maps[axis], [&](std::int64_t i) { return i < -1 || i >= fromDims[axis]; }))
            return fail(ErrorCode::InvalidInput, "it reads outside its input", "export the model again");
    }
    if (count != emitter.graph().tensor(op.outputs[output]).shape.elements())
        return fail(ErrorCode::InvalidInput, "its output shape is not the shape it computes", "export the model again");
    if (count == 0)
        return true;
    emitPlain(emitter, op, {from}, output,
              [=, maps = std::move(maps)](std::span<const float *const> sources, float *to) {
                  mapAxes(sources[0], fromDims, to, maps, fill);
              });
    return true;
}

// Axes of `shape` (a view of the input, row-major) in another order, written row-major.
void emitPermuted(Emitter &emitter, const Operator &op, Place from, const Dims &shape, const Dims &order)
{
    Dims strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * shape[axis];
    Dims dims;
    Dims permuted;
    for (const std::int64_t axis : order) {
        dims.push_back(shape[static_cast<std::size_t>(axis)]);
        permuted.push_back(strides[static_cast<std::size_t>(axis)]);
    }
    Place to = emitter.place(op.outputs.front());
    if (!shape.empty()) { // a number has no axes
        from.desc = Desc(dims, dnnl::memory::data_type::f32, permuted);
        to.desc = plainDesc(dims);
    }
    emitter.copy(from, to);
}

Result<bool> emitTranspose(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    if (op.type == "Transpose") {
        Dims order = range(static_cast<std::int64_t>(in.size()) - 1, static_cast<std::int64_t>(in.size()), -1);
        emitPermuted(emitter, op, from, in, integers(op, "perm").value_or(order));
        return true;
    }
    const std::int64_t b = integer(op, "blocksize");
    const std::string mode = text(op, "mode");
    if (b < 1)
        return fail(ErrorCode::InvalidInput, "its blocks have no size", "export the model again");
    if (mode != "DCR" && mode != "CRD")
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a " + op.type + " of mode " + mode);
    const bool depthFirst = mode == "DCR";
    if (op.type == "SpaceToDepth")
        emitPermuted(emitter, op, from, {in[0], in[1], in[2] / b, b, in[3] / b, b},
                     depthFirst ? Dims{0, 3, 5, 1, 2, 4} : Dims{0, 1, 3, 5, 2, 4});
    else if (!depthFirst)
        emitPermuted(emitter, op, from, {in[0], in[1] / (b * b), b, b, in[2], in[3]}, {0, 1, 4, 2, 5, 3});
    else
        emitPermuted(emitter, op, from, {in[0], b, b, in[1] / (b * b), in[2], in[3]}, {0, 3, 4, 1, 5, 2});
    return true;
}

// The same values in row-major order: converted to that on the way, if need be.
void emitReshape(Emitter &emitter, const Operator &op, const Operand &operand)
{
    const Place &to = emitter.place(op.outputs.front());
    if (to.desc == plainDesc(to.desc.dims())) {
        const Place &from = emitter.place(operand.tensor);
        emitter.copy(from, {to.buffer, to.offsetBytes, plainDesc(from.desc.dims())});
        return;
    }
    Place plain = plainOperand(emitter, op, operand);
    plain.desc = plainDesc(to.desc.dims());
    emitter.copy(plain, to);
}

Result<std::vector<Dims>> sliceMaps(const Operator &op, const Dims &in, const Dims &out)
{
    const auto starts = integers(op, "starts", 1);
    auto axes = integers(op, "axes", 3);
    const auto steps = integers(op, "steps", 4);
    if (!starts)
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Slice whose bounds are computed");
    if (!axes)
        axes = range(0, static_cast<std::int64_t>(starts->size()));
    if (axes->size() != starts->size() || (steps && steps->size() != starts->size()))
        return fail(ErrorCode::InvalidInput, "its axes and bounds differ in number", "export the model again");
    std::vector<Dims> maps = identity(in);
    for (std::size_t i = 0; i < axes->size(); ++i) {
        const std::size_t axis = axisIn((*axes)[i], in.size());
        const std::int64_t step = steps ? (*steps)[i] : 1;
        std::int64_t start = (*starts)[i];
        start = std::clamp<std::int64_t>(start < 0 ? start + in[axis] : start, 0, step < 0 ? in[axis] - 1 : in[axis]);
        maps[axis] = range(start, out[axis], step);
    }
    return maps;
}

// The index that a padded axis reads at `i`; -1: the fill value.
std::int64_t paddedSource(const std::string &mode, std::int64_t i, std::int64_t size)
{
    if (i >= 0 && i < size)
        return i;
    if (mode == "edge")
        return std::clamp<std::int64_t>(i, 0, size - 1);
    if (mode == "wrap")
        return (i % size + size) % size;
    if (mode == "reflect" && size == 1)
        return 0;
    if (mode == "reflect") {
        const std::int64_t period = 2 * (size - 1);
        const std::int64_t inside = (i % period + period) % period;
        return std::min(inside, period - inside);
    }
    return -1;
}

Result<std::vector<Dims>> padMaps(const Operator &op, const Dims &in)
{
    const auto pads = integers(op, "pads", 1);
    const std::string mode = text(op, "mode");
    if (isComputed(op, 2))
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Pad whose value is computed");
    const bool known = mode == "constant" || mode == "edge" || mode == "wrap" || mode == "reflect";
    const auto axes = integers(op, "axes", 3).value_or(range(0, static_cast<std::int64_t>(in.size())));
    if (!known || !pads || pads->size() != 2 * axes.size())
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for this form of Pad");
    std::vector<Dims> maps = identity(in);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::size_t axis = axisIn(axes[k], in.size());
        const std::int64_t before = (*pads)[k];
        maps[axis] = range(-before, in[axis] + before + (*pads)[k + axes.size()]);
        for (std::int64_t &source : maps[axis])
            source = paddedSource(mode, source, in[axis]);
    }
    return maps;
}

// For constant indices. Their number of axes does not matter: the result has the same bytes for one.
Result<std::vector<Dims>> gatherMaps(const Operator &op, const Dims &in)
{
    const auto indices = integersAt(op, 1);
    if (!indices)
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Gather whose indices are computed");
    std::vector<Dims> maps = identity(in);
    const std::size_t axis = axisIn(integer(op, "axis"), in.size());
    maps[axis].clear();
    for (const std::int64_t index : *indices)
        maps[axis].push_back(index < 0 ? index + in[axis] : index);
    if (std::ranges::any_of(maps[axis], [](std::int64_t index) { return index < 0; }))
        return fail(ErrorCode::InvalidInput, "it reads outside its input", "export the model again");
    return maps;
}

Result<bool> emitSplit(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    const std::size_t axis = axisIn(integer(op, "axis"), in.size());
    std::int64_t start = 0;
    for (std::size_t output = 0; output < op.outputs.size(); ++output) {
        const std::int64_t size = emitter.graph().tensor(op.outputs[output]).shape.dims[axis];
        std::vector<Dims> maps = identity(in);
        maps[axis] = range(start, size);
        if (auto emitted = emitMapped(emitter, op, from, in, std::move(maps), output); !emitted)
            return emitted;
        start += size;
    }
    return true;
}

// Concatenation along any axis, constants included.
bool emitConcatAlong(Emitter &emitter, const Operator &op)
{
    std::vector<Place> places;
    std::vector<Dims> shapes;
    const auto operands = operandsOf(op);
    if (operands.empty() || std::ranges::any_of(operands, [](const auto &operand) { return !operand; }))
        return false;
    for (const auto &operand : operands) {
        places.push_back(plainOperand(emitter, op, *operand));
        shapes.push_back(operand->dims(emitter.graph().tensors()));
    }
    const std::size_t axis = axisIn(integer(op, "axis"), shapes.front().size());
    emitPlain(emitter, op, places, 0, [=](std::span<const float *const> from, float *to) {
        const std::int64_t outer =
            elementsOf({shapes[0].begin(), shapes[0].begin() + static_cast<std::ptrdiff_t>(axis)});
        for (std::int64_t block = 0; block < outer; ++block) {
            for (std::size_t k = 0; k < shapes.size(); ++k) {
                const std::int64_t count = elementsOf(shapes[k]) / outer;
                to = std::copy_n(from[k] + block * count, count, to);
            }
        }
    });
    return true;
}

} // namespace

Result<bool> emitMovement(Emitter &emitter, const Operator &op)
{
    if (op.type == "Concat")
        return emitConcatAlong(emitter, op);
    const auto operands = operandsOf(op);
    if (operands.empty() || !operands[0] || !operands[0]->tensor.isValid())
        return false;
    Dims in = operands[0]->dims(emitter.graph().tensors());
    const Dims out = emitter.graph().tensor(op.outputs.front()).shape.dims;
    if (op.type == "Reshape" || op.type == "Flatten" || op.type == "Squeeze" || op.type == "Unsqueeze") {
        emitReshape(emitter, op, *operands[0]);
        return true;
    }
    const Place from = plainOperand(emitter, op, *operands[0]);
    if (op.type == "Transpose" || op.type == "DepthToSpace" || op.type == "SpaceToDepth")
        return emitTranspose(emitter, op, from, in);
    if (op.type == "Split")
        return emitSplit(emitter, op, from, in);
    if (op.type == "Tile" || op.type == "Expand") {
        if (in.size() > out.size())
            return fail(ErrorCode::InvalidInput, "its output shape is not the shape it computes",
                        "export the model again");
        in.insert(in.begin(), out.size() - in.size(), 1);
        std::vector<Dims> maps = identity(out);
        for (std::size_t axis = 0; axis < out.size(); ++axis) {
            for (std::int64_t &source : maps[axis])
                source %= in[axis];
        }
        return emitMapped(emitter, op, from, in, std::move(maps));
    }
    const bool pads = op.type == "Pad";
    TRY_AS(const auto maps, op.type == "Gather" ? gatherMaps(op, in) : pads ? padMaps(op, in) : sliceMaps(op, in, out));
    const auto fill = pads ? constantAt(op, 2) : std::nullopt;
    return emitMapped(emitter, op, from, in, maps, 0, fill && !fill->empty() ? fill->front() : real(op, "value"));
}

} // namespace stagecraft::cpu
