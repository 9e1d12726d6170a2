// Operators that only move values: every output element is one input element, or a fill value.

#include "device/cpu/onednn/axis_maps.h"
#include "device/cpu/onednn/flat_kernels.h"
#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"
#include "device/cpu/onednn/planes.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::cpu {
namespace {

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
        Dims order = indices(static_cast<std::int64_t>(in.size()) - 1, static_cast<std::int64_t>(in.size()), -1);
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
    const auto axes = integers(op, "axes", 3).value_or(indices(0, static_cast<std::int64_t>(in.size())));
    if (!known || !pads || pads->size() != 2 * axes.size())
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for this form of Pad");
    std::vector<Dims> maps = wholeAxes(in);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::size_t axis = axisIn(axes[k], in.size());
        const std::int64_t before = (*pads)[k];
        maps[axis] = indices(-before, in[axis] + before + (*pads)[k + axes.size()]);
        for (std::int64_t &source : maps[axis])
            source = paddedSource(mode, source, in[axis]);
    }
    return maps;
}

Result<bool> emitSplit(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    const std::size_t axis = axisIn(integer(op, "axis"), in.size());
    std::int64_t start = 0;
    for (std::size_t output = 0; output < op.outputs.size(); ++output) {
        const std::int64_t size = emitter.graph().tensor(op.outputs[output]).shape.dims[axis];
        std::vector<Dims> maps = wholeAxes(in);
        maps[axis] = indices(start, size);
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

// The planes of an output from where they were computed.
void emitPlanes(Emitter &emitter, TensorId output, const std::vector<plan::Plane> &planes)
{
    std::vector<TensorId> tensors;
    std::vector<Place> places;
    std::vector<ChannelLayout> layouts;
    std::vector<CopiedPlane> copied;
    for (const plan::Plane &plane : planes) {
        const auto found = std::ranges::find(tensors, plane.tensor);
        const auto index = static_cast<std::size_t>(found - tensors.begin());
        if (found == tensors.end()) {
            tensors.push_back(plane.tensor);
            Place place = emitter.place(plane.tensor);
            if (!channelLayoutOf(place.desc))
                place = emitter.inLayout(place, plainDesc(place.desc.dims()));
            places.push_back(place);
            layouts.push_back(*channelLayoutOf(place.desc));
        }
        const ChannelLayout &from = layouts[index];
        copied.push_back({index, from.offset(0, plane.channel), from.block, from.paddedChannels() * from.pixels});
    }
    const Place &to = emitter.place(output);
    ChannelLayout layout{layouts.front().batch, std::ssize(planes), 1, layouts.front().pixels};
    const auto given = channelLayoutOf(to.desc);
    const bool fits = given && given->channels == layout.channels && given->pixels == layout.pixels;
    const bool direct = fits || to.desc == plainDesc(to.desc.dims());
    if (fits)
        layout = *given;
    places.push_back(direct ? to : emitter.scratch(plainDesc(to.desc.dims())));
    emitter.host(
        [copied = std::move(copied), layout](std::span<float *const> pointers) {
            const std::vector<const float *> from(pointers.begin(), pointers.end() - 1);
            copyPlanes(from, copied, pointers.back(), layout);
            zeroPadding(pointers.back(), layout);
        },
        places);
    if (!direct)
        emitter.copy(places.back(), to);
}

// False: the operator does not copy planes.
bool emitPlanes(Emitter &emitter, const Operator &op)
{
    std::vector<std::pair<TensorId, std::vector<plan::Plane>>> outputs;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        if (!emitter.tensors().isHeld(op.outputs[i]))
            continue;
        auto planes = copiedPlanes(emitter.graph(), emitter.tensors().planes, op, i);
        if (!planes)
            return false;
        outputs.emplace_back(op.outputs[i], std::move(*planes));
    }
    for (const auto &[output, planes] : outputs)
        emitPlanes(emitter, output, planes);
    return true;
}

} // namespace

Result<bool> emitMovement(Emitter &emitter, const Operator &op)
{
    if (emitPlanes(emitter, op))
        return true;
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
        std::vector<Dims> maps = wholeAxes(out);
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
