// The same values in another shape, order or number.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"
#include "operators/shapes/shape_rules.h"

#include <cstring>

namespace stagecraft::kernels {
namespace {

void copyBytes(const TensorView &from, const TensorView &to)
{
    std::copy_n(from.data, from.size() * sizeBytes(from.type), to.data);
}

// to[i] = from[start + the offset of i by `strides`], for all elements of `to`.
void readStrided(const TensorView &from, std::int64_t start, const Dims &strides, const TensorView &to)
{
    forBytes(from.type, [&]<typename T>() {
        const auto values = from.as<T>();
        const auto result = to.as<T>();
        forElements<1>(to.dims, {strides}, [&](std::int64_t i, const auto &at) {
            result[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(start + at[0])];
        });
    });
}

// to[i, j, ...] = from[maps[0][i], maps[1][j], ...], or `fill` where a map is -1. One map per axis. Results without
// elements are left out before there are maps: one of their dimensions may have any size.
void readMapped(const TensorView &from, const std::vector<Dims> &maps, const TensorView *fill, const TensorView &to)
{
    const Dims strides = stridesOf(from.dims);
    const Dims steps = stridesOf(to.dims);
    forBytes(from.type, [&]<typename T>() {
        const auto values = from.as<T>();
        const T other = fill && fill->size() > 0 ? fill->as<T>()[0] : T{};
        const auto result = to.as<T>();
        for (std::int64_t i = 0; i < to.size(); ++i) {
            std::int64_t rest = i;
            std::int64_t index = 0;
            bool isInside = true;
            for (std::size_t axis = 0; axis < maps.size(); ++axis) {
                const std::int64_t place = maps[axis][static_cast<std::size_t>(rest / steps[axis])];
                rest %= steps[axis];
                isInside = isInside && place >= 0;
                index += place * strides[axis];
            }
            result[static_cast<std::size_t>(i)] = isInside ? values[static_cast<std::size_t>(index)] : other;
        }
    });
}

// Where each position of a padded axis comes from; -1: from nowhere.
std::int64_t sourceOf(const std::string &mode, std::int64_t at, std::int64_t size)
{
    if ((at >= 0 && at < size) || size == 0)
        return size == 0 ? -1 : at;
    if (mode == "edge")
        return std::clamp<std::int64_t>(at, 0, size - 1);
    if (mode == "wrap")
        return (at % size + size) % size;
    if (mode != "reflect")
        return -1;
    if (size == 1)
        return 0;
    const std::int64_t period = 2 * (size - 1);
    const std::int64_t within = (at % period + period) % period;
    return within < size ? within : period - within;
}

} // namespace

Result<void> copied(KernelCall &call)
{
    copyBytes(call.in(0), call.out());
    return {};
}

Result<void> keptWhole(KernelCall &call)
{
    const auto isNumber = [&](std::size_t i) { return call.has(i) && call.in(i).size() > 0; };
    const bool trains = isNumber(2) && realAt(call.in(2)) != 0;
    if (trains && !(isNumber(1) && realAt(call.in(1)) == 0))
        return refuse("it drops values at random, which is for training");
    if (call.wants(0))
        copyBytes(call.in(0), call.out());
    if (call.wants(1)) // the mask
        std::ranges::fill(call.out(1).as<bool>(), true);
    return {};
}

Result<void> transposed(KernelCall &call)
{
    const Dims from = stridesOf(call.in(0).dims);
    Dims order = call.node.integers("perm");
    for (std::size_t i = from.size(); order.size() < from.size(); --i)
        order.push_back(static_cast<std::int64_t>(i) - 1);
    Dims strides;
    for (const std::int64_t axis : order)
        strides.push_back(from[static_cast<std::size_t>(axis)]);
    readStrided(call.in(0), 0, strides, call.out());
    return {};
}

Result<void> joined(KernelCall &call)
{
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), call.out().dims.size()));
    const AxisParts to = partsOf(call.out().dims, axis);
    const std::int64_t bytes = sizeBytes(call.out().type) * to.inner;
    std::int64_t begin = 0;
    for (const auto &input : call.inputs) {
        if (!input)
            return refuse("one of its operands is left out");
        if (input->type != call.out().type)
            return noTypes(call);
        const std::int64_t size = input->dims[axis];
        for (std::int64_t row = 0; row < to.outer; ++row)
            std::copy_n(input->data + row * size * bytes, size * bytes,
                        call.out().data + (row * to.size + begin) * bytes);
        begin += size;
    }
    return {};
}

Result<void> sliced(KernelCall &call)
{
    const auto ranges = shape_rules::sliceRanges(call.node, call.in(0).dims);
    if (!ranges)
        return refuse("its starts and ends do not fit its input");
    Dims strides = stridesOf(call.in(0).dims);
    std::int64_t start = 0;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        start += (*ranges)[axis].start * strides[axis];
        strides[axis] *= (*ranges)[axis].step;
    }
    readStrided(call.in(0), start, strides, call.out());
    return {};
}

Result<void> split(KernelCall &call)
{
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), call.in(0).dims.size()));
    const Dims strides = stridesOf(call.in(0).dims);
    std::int64_t begin = 0;
    for (auto &part : call.outputs) {
        if (!part)
            return refuse("one of its outputs is left out");
        readStrided(call.in(0), begin * strides[axis], strides, *part);
        begin += part->dims[axis];
    }
    return {};
}

Result<void> padded(KernelCall &call)
{
    if (call.has(2) && call.in(2).type != call.in(0).type)
        return noTypes(call);
    const Dims &dims = call.in(0).dims;
    auto pads = call.node.integersFrom("pads", 1).values;
    if (!pads && call.node.gives("paddings"))
        pads = call.node.integers("paddings");
    Dims axes;
    if (call.has(3))
        axes = integersIn(call.in(3));
    for (std::size_t i = 0; !call.has(3) && i < dims.size(); ++i)
        axes.push_back(static_cast<std::int64_t>(i));
    if (!pads || pads->size() != 2 * axes.size())
        return refuse("its pads do not fit its input");
    if (call.out().size() == 0)
        return {};
    Dims before(dims.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i)
        before[*axisWithin(axes[i], dims.size())] = (*pads)[i];
    std::vector<Dims> maps(dims.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        for (std::int64_t i = 0; i < call.out().dims[axis]; ++i)
            maps[axis].push_back(sourceOf(call.node.text("mode"), i - before[axis], dims[axis]));
    }
    TensorValue attribute = newTensor(call.in(0).type, {});
    setReal(attribute.view, 0, call.node.gives("value") ? call.node.real("value") : 0.0);
    readMapped(call.in(0), maps, call.has(2) ? &call.in(2) : &attribute.view, call.out());
    return {};
}

Result<void> cropped(KernelCall &call)
{
    if (call.out().size() == 0)
        return {};
    const Dims &dims = call.in(0).dims;
    std::vector<Dims> maps(dims.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        const std::int64_t wanted = call.out().dims[axis];
        const std::int64_t begin = wanted <= dims[axis] ? (dims[axis] - wanted) / 2 : -((wanted - dims[axis]) / 2);
        for (std::int64_t i = 0; i < wanted; ++i)
            maps[axis].push_back(i + begin >= 0 && i + begin < dims[axis] ? i + begin : -1);
    }
    readMapped(call.in(0), maps, nullptr, call.out());
    return {};
}

Result<void> expanded(KernelCall &call)
{
    const auto strides = broadcastStrides(call.in(0).dims, call.out().dims);
    if (!strides)
        return refuse("its input does not expand to the shape asked for");
    readStrided(call.in(0), 0, *strides, call.out());
    return {};
}

Result<void> tiled(KernelCall &call)
{
    if (call.out().size() == 0)
        return {};
    const Dims &dims = call.in(0).dims;
    std::vector<Dims> maps(dims.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        for (std::int64_t i = 0; i < call.out().dims[axis]; ++i)
            maps[axis].push_back(i % dims[axis]);
    }
    readMapped(call.in(0), maps, nullptr, call.out());
    return {};
}

Result<void> inBlocks(KernelCall &call)
{
    const std::int64_t block = call.node.integer("blocksize");
    const Dims &in = call.in(0).dims;
    const std::int64_t images = in[0];
    TensorView from = call.in(0);
    TensorView to = call.out();
    const bool toSpace = call.node.type == "DepthToSpace";
    const Dims &large = toSpace ? to.dims : in;
    const Dims &small = toSpace ? in : to.dims;
    const std::int64_t depth = large[1];
    // The smaller image with its channels as (block, block, depth) or, column-row-depth, as (depth, block, block).
    const bool isCrd = call.node.text("mode") == "CRD";
    const Dims parts = isCrd ? Dims{images, depth, block, block, small[2], small[3]}
                             : Dims{images, block, block, depth, small[2], small[3]};
    const Dims order =
        isCrd ? Dims{0, 1, 4, 2, 5, 3} : Dims{0, 3, 4, 1, 5, 2}; // to (images, depth, h, block, w, block)
    if (toSpace) {
        const Dims strides = stridesOf(parts);
        Dims read;
        to.dims.clear();
        for (const std::int64_t axis : order) {
            read.push_back(strides[static_cast<std::size_t>(axis)]);
            to.dims.push_back(parts[static_cast<std::size_t>(axis)]);
        }
        readStrided(from, 0, read, to);
        return {};
    }
    const Dims strides = stridesOf({images, depth, small[2], block, small[3], block});
    Dims read(parts.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        read[static_cast<std::size_t>(order[i])] = strides[i];
    to.dims = parts;
    readStrided(from, 0, read, to);
    return {};
}

Result<void> reversed(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const auto axisNamed = [&](const char *name) {
        return axisWithin(call.node.integer(name), from.dims.size()).value_or(from.dims.size());
    };
    const std::size_t batch = axisNamed("batch_axis");
    const std::size_t time = axisNamed("time_axis");
    const Dims lengths = integersIn(call.in(1));
    if (batch >= from.dims.size() || time >= from.dims.size() || batch == time)
        return refuse("its batch_axis and time_axis are not two of its input's");
    if (auto fits = needsElements(call, 1, "sequence_lens", from.dims[batch]); !fits)
        return fits;
    if (std::ranges::any_of(lengths, [&](std::int64_t length) { return length < 0 || length > from.dims[time]; }))
        return refuse("one of its sequence_lens is not between 0 and " + std::to_string(from.dims[time]));
    const Dims strides = stridesOf(from.dims);
    forBytes(from.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < from.size(); ++i) {
            const std::int64_t length = lengths[static_cast<std::size_t>(i / strides[batch] % from.dims[batch])];
            const std::int64_t at = i / strides[time] % from.dims[time];
            const std::int64_t source = at < length ? i + (length - 1 - 2 * at) * strides[time] : i;
            call.out().as<T>()[static_cast<std::size_t>(i)] = from.as<T>()[static_cast<std::size_t>(source)];
        }
    });
    return {};
}

Result<void> triangle(KernelCall &call)
{
    const TensorView &from = call.in(0);
    if (from.dims.size() < 2)
        return refuse("it needs a matrix");
    const std::int64_t shift = call.has(1) && call.in(1).size() > 0 ? integersIn(call.in(1)).front() : 0;
    const bool isUpper = call.node.integer("upper") != 0;
    const std::int64_t columns = from.dims.back();
    const std::int64_t rows = from.dims[from.dims.size() - 2];
    forBytes(from.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < from.size(); ++i) {
            const std::int64_t place = i % columns - i / columns % rows;
            const bool isKept = isUpper ? place >= shift : place <= shift;
            call.out().as<T>()[static_cast<std::size_t>(i)] = isKept ? from.as<T>()[static_cast<std::size_t>(i)] : T{};
        }
    });
    return {};
}

Result<void> columnsToImage(KernelCall &call)
{
    const Dims block = integersIn(call.in(2));
    const TensorView &from = call.in(0);
    const TensorView &to = call.out();
    const std::size_t rank = block.size();
    const auto listed = [&](const char *name, std::size_t count, std::int64_t fallback) {
        Dims values = call.node.integers(name);
        values.resize(count, fallback);
        return values;
    };
    const Dims dilations = listed("dilations", rank, 1);
    const Dims strides = listed("strides", rank, 1);
    const Dims pads = listed("pads", 2 * rank, 0);
    constexpr std::int64_t kLimit = std::int64_t{1} << 20;
    const auto isStep = [](std::int64_t value) { return value >= 1 && value <= kLimit; };
    const auto isPad = [](std::int64_t value) { return value >= 0 && value <= kLimit; };
    if (to.dims.size() != rank + 2)
        return refuse("its operands image_shape and block_shape have different numbers of dimensions");
    if (!std::ranges::all_of(block, isStep) || !std::ranges::all_of(strides, isStep) ||
        !std::ranges::all_of(dilations, isStep) || !std::ranges::all_of(pads, isPad))
        return refuse(
            "its block_shape, strides or dilations are not positive, its pads are negative, or they are absurd");
    Dims places; // of the block, per dimension
    Dims image(to.dims.begin() + 2, to.dims.end());
    for (std::size_t i = 0; i < rank; ++i)
        places.push_back((image[i] + pads[i] + pads[i + rank] - dilations[i] * (block[i] - 1) - 1) / strides[i] + 1);
    const std::int64_t inBlock = productOf(block);
    const std::int64_t blocks = productOf(places);
    if (std::ranges::any_of(places, [](std::int64_t count) { return count < 0; }) || from.dims.size() != 3 ||
        from.dims[1] != to.dims[1] * inBlock || from.dims[2] != blocks)
        return refuse("its columns do not fit its image");
    const Dims steps = stridesOf(image);
    const bool known = forReal(to.type, [&]<typename T>() {
        std::ranges::fill(to.as<T>(), T{});
        for (std::int64_t i = 0; i < from.size(); ++i) {
            std::int64_t atBlock = i % blocks;
            std::int64_t inside = i / blocks % inBlock;
            std::int64_t index = 0;
            bool isInside = true;
            for (std::size_t axis = rank; axis-- > 0;) {
                const std::int64_t at =
                    atBlock % places[axis] * strides[axis] - pads[axis] + inside % block[axis] * dilations[axis];
                atBlock /= places[axis];
                inside /= block[axis];
                isInside = isInside && at >= 0 && at < image[axis];
                index += at * steps[axis];
            }
            const std::int64_t plane = i / blocks / inBlock; // of images and channels
            if (isInside)
                to.as<T>()[static_cast<std::size_t>(plane * productOf(image) + index)] +=
                    from.as<T>()[static_cast<std::size_t>(i)];
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
