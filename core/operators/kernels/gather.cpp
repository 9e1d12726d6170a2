// Elements chosen or placed by indices. A negative index counts from the end; others out of range are refused.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <cstring>

namespace stagecraft::kernels {
namespace {

// Indices within an axis of this size; empty if one is out of range.
std::optional<Dims> indicesIn(const TensorView &tensor, std::int64_t size)
{
    Dims indices = integersIn(tensor);
    for (std::int64_t &index : indices) {
        if (index < -size || index >= size)
            return std::nullopt;
        index += index < 0 ? size : 0;
    }
    return indices;
}

// Whether elements at the places of `indices` lie within the data along every axis but the one that they index.
bool liesWithin(const Dims &indices, const Dims &data, std::size_t axis)
{
    if (indices.size() != data.size())
        return false;
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (i != axis && indices[i] > data[i])
            return false;
    }
    return true;
}

tl::unexpected<Error> outOfRange()
{
    return refuse("one of its indices is out of range");
}

// What a scatter does with an element that is there.
template <typename T>
T reducedTo(const std::string &how, T there, T update)
{
    if (how == "add")
        return static_cast<T>(there + update);
    if (how == "mul")
        return static_cast<T>(there * update);
    if (how == "max")
        return larger(there, update);
    if (how == "min")
        return smaller(there, update);
    return update;
}

// Calls place(element of the updates, element of the data) for each; numbers are combined, other values replaced.
template <typename ForEach>
Result<void> scattered(KernelCall &call, const TensorView &updates, const ForEach &forEach)
{
    const TensorView &to = call.out();
    if (updates.type != to.type)
        return noTypes(call);
    std::copy_n(call.in(0).data, to.size() * sizeBytes(to.type), to.data);
    const std::string how = call.node.type == "Scatter" ? "none" : call.node.text("reduction");
    forAny(to.type, [&]<typename T>() {
        forEach([&](std::int64_t update, std::int64_t element) {
            T &there = to.as<T>()[static_cast<std::size_t>(element)];
            there = reducedTo<T>(how, there, updates.as<T>()[static_cast<std::size_t>(update)]);
        });
    });
    return {};
}

// The first element of each slice that the last axis of the indices names; empty if one is out of range.
std::optional<Dims> slicesAt(const TensorView &indices, const Dims &data, std::size_t skipped)
{
    const Dims strides = stridesOf(data);
    const Dims values = integersIn(indices);
    const std::int64_t depth = indices.dims.back();
    const std::int64_t batch = productOf(std::span(data).first(skipped));
    const std::int64_t count = productOf(std::span(indices.dims).first(indices.dims.size() - 1));
    Dims begins;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t begin = skipped > 0 ? i / (count / std::max<std::int64_t>(batch, 1)) * strides[skipped - 1] : 0;
        for (std::int64_t k = 0; k < depth; ++k) {
            const std::size_t axis = skipped + static_cast<std::size_t>(k);
            const std::int64_t index = values[static_cast<std::size_t>(i * depth + k)];
            if (index < -data[axis] || index >= data[axis])
                return std::nullopt;
            begin += (index < 0 ? index + data[axis] : index) * strides[axis];
        }
        begins.push_back(begin);
    }
    return begins;
}

} // namespace

Result<void> gather(KernelCall &call)
{
    const TensorView &from = call.in(0);
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), from.dims.size()));
    const AxisParts parts = partsOf(from.dims, axis);
    const auto indices = indicesIn(call.in(1), parts.size);
    if (!indices)
        return outOfRange();
    const std::int64_t bytes = parts.inner * sizeBytes(from.type);
    std::byte *to = call.out().data;
    for (std::int64_t outer = 0; outer < parts.outer; ++outer) {
        for (const std::int64_t index : *indices) {
            std::copy_n(from.data + (outer * parts.size + index) * bytes, bytes, to);
            to += bytes;
        }
    }
    return {};
}

Result<void> gatherElements(KernelCall &call)
{
    const TensorView &from = call.in(0);
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), from.dims.size()));
    if (!liesWithin(call.in(1).dims, from.dims, axis))
        return refuse("its indices do not fit its input");
    const auto indices = indicesIn(call.in(1), from.dims[axis]);
    if (!indices)
        return outOfRange();
    Dims strides = stridesOf(from.dims);
    const std::int64_t step = strides[axis];
    strides[axis] = 0;
    forBytes(from.type, [&]<typename T>() {
        forElements<1>(call.out().dims, {strides}, [&](std::int64_t i, const auto &at) {
            const std::int64_t index = (*indices)[static_cast<std::size_t>(i)];
            call.out().as<T>()[static_cast<std::size_t>(i)] =
                from.as<T>()[static_cast<std::size_t>(at[0] + index * step)];
        });
    });
    return {};
}

Result<void> gatherNd(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const auto skipped = static_cast<std::size_t>(call.node.integer("batch_dims"));
    const auto begins = slicesAt(call.in(1), from.dims, skipped);
    if (!begins)
        return outOfRange();
    const std::size_t depth = skipped + static_cast<std::size_t>(call.in(1).dims.back());
    const std::int64_t each = productOf(std::span(from.dims).subspan(depth));
    const std::int64_t bytes = sizeBytes(from.type);
    std::byte *to = call.out().data;
    for (const std::int64_t begin : *begins) {
        std::copy_n(from.data + begin * bytes, each * bytes, to);
        to += each * bytes;
    }
    return {};
}

Result<void> scatterElements(KernelCall &call)
{
    const TensorView &data = call.in(0);
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), data.dims.size()));
    if (!liesWithin(call.in(1).dims, data.dims, axis))
        return refuse("its indices do not fit its input");
    const auto indices = indicesIn(call.in(1), data.dims[axis]);
    if (!indices)
        return outOfRange();
    Dims strides = stridesOf(data.dims);
    const std::int64_t step = strides[axis];
    strides[axis] = 0;
    if (auto fits = needsElements(call, 2, "updates", call.in(1).size()); !fits)
        return fits;
    return scattered(call, call.in(2), [&](const auto &place) {
        forElements<1>(call.in(1).dims, {strides}, [&](std::int64_t i, const auto &at) {
            place(i, at[0] + (*indices)[static_cast<std::size_t>(i)] * step);
        });
    });
}

Result<void> scatterNd(KernelCall &call)
{
    const Dims &where = call.in(1).dims;
    if (where.empty() || where.back() > static_cast<std::int64_t>(call.in(0).dims.size()))
        return refuse("its indices do not fit its input");
    const auto begins = slicesAt(call.in(1), call.in(0).dims, 0);
    if (!begins)
        return outOfRange();
    const std::int64_t each =
        productOf(std::span(call.in(0).dims).subspan(static_cast<std::size_t>(call.in(1).dims.back())));
    if (auto fits = needsElements(call, 2, "updates", static_cast<std::int64_t>(begins->size()) * each); !fits)
        return fits;
    return scattered(call, call.in(2), [&](const auto &place) {
        for (std::size_t i = 0; i < begins->size(); ++i) {
            for (std::int64_t k = 0; k < each; ++k)
                place(static_cast<std::int64_t>(i) * each + k, (*begins)[i] + k);
        }
    });
}

// The updates go to the positions of `axis` that follow the position given per batch.
Result<void> tensorScatter(KernelCall &call)
{
    const TensorView &data = call.in(0);
    const TensorView &update = call.in(1);
    const auto axis = axisOf(call.node.integer("axis"), data.dims.size());
    if (!axis || *axis == 0)
        return refuse("its axis is out of range");
    Dims rows = data.dims;
    if (update.dims.size() == rows.size())
        rows[*axis] = update.dims[*axis];
    if (update.dims != rows || update.type != data.type)
        return refuse("its operand update does not fit its operand past_cache");
    if (auto fits = needsElements(call, 2, "write_indices", data.dims[0]); !fits)
        return fits;
    const Dims starts = call.has(2) ? integersIn(call.in(2)) : Dims(static_cast<std::size_t>(data.dims[0]), 0);
    const AxisParts from = partsOf(update.dims, *axis);
    const AxisParts to = partsOf(data.dims, *axis);
    const auto isOutside = [](std::int64_t start) { return start < 0 || start > std::int64_t{1} << 40; };
    if (std::ranges::any_of(starts, isOutside) || (to.size == 0 && from.size > 0))
        return outOfRange();
    const std::int64_t bytes = to.inner * sizeBytes(data.type);
    const bool isCircular = call.node.text("mode") == "circular";
    std::copy_n(data.data, data.size() * sizeBytes(data.type), call.out().data);
    const std::int64_t rowsEach = from.outer / std::max<std::int64_t>(1, data.dims[0]);
    for (std::int64_t row = 0; row < from.outer; ++row) {
        for (std::int64_t i = 0; i < from.size; ++i) {
            std::int64_t at = starts[static_cast<std::size_t>(row / rowsEach)] + i;
            at = isCircular ? at % to.size : at;
            if (at >= to.size)
                return outOfRange();
            std::copy_n(update.data + (row * from.size + i) * bytes, bytes,
                        call.out().data + (row * to.size + at) * bytes);
        }
    }
    return {};
}

} // namespace stagecraft::kernels
