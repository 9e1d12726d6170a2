// How many elements there are depends on the values: outputs have room for the most, and get their size here.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <map>
#include <numeric>

namespace stagecraft::kernels {
namespace {

struct Box {
    double top = 0;
    double left = 0;
    double bottom = 0;
    double right = 0;

    [[nodiscard]] double area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const TensorView &boxes, std::int64_t index, bool isCentred)
{
    const auto at = [&](std::int64_t k) { return realAt(boxes, index * 4 + k); };
    if (isCentred) // x, y, width, height
        return {at(1) - at(3) / 2, at(0) - at(2) / 2, at(1) + at(3) / 2, at(0) + at(2) / 2};
    return {std::min(at(0), at(2)), std::min(at(1), at(3)), std::max(at(0), at(2)), std::max(at(1), at(3))};
}

double overlap(const Box &a, const Box &b)
{
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0)
        return 0;
    return height * width / (a.area() + b.area() - height * width);
}

// The boxes of one class that are kept, by score.
Dims kept(const TensorView &boxes, std::int64_t image, std::span<const double> scores, bool isCentred,
          std::int64_t most, double allowed, std::optional<double> least)
{
    Dims order(scores.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (least)
        std::erase_if(order, [&](std::int64_t i) { return !(scores[static_cast<std::size_t>(i)] > *least); });
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; });
    Dims chosen;
    std::vector<Box> taken;
    for (const std::int64_t i : order) {
        if (static_cast<std::int64_t>(chosen.size()) >= most)
            break;
        const Box box = boxAt(boxes, image * static_cast<std::int64_t>(scores.size()) + i, isCentred);
        if (std::ranges::any_of(taken, [&](const Box &other) { return overlap(box, other) > allowed; }))
            continue;
        chosen.push_back(i);
        taken.push_back(box);
    }
    return chosen;
}

// Over an axis, or, without one, over all elements.
struct Walk {
    std::size_t axis = 0; // of the output
    AxisParts parts;
};

Result<Walk> walkOf(const KernelCall &call)
{
    const TensorView &from = call.in(0);
    if (!call.node.gives("axis"))
        return Walk{0, {1, from.size(), 1}};
    return axisOf(call.node.integer("axis"), std::max<std::size_t>(1, from.dims.size())).map([&](std::size_t axis) {
        return Walk{axis, partsOf(from.dims, axis)};
    });
}

} // namespace

Result<void> nonZero(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const Dims strides = stridesOf(from.dims);
    Dims found;
    for (std::int64_t i = 0; i < from.size(); ++i) {
        if (realAt(from, i) != 0)
            found.push_back(i);
    }
    call.out().dims = {static_cast<std::int64_t>(from.dims.size()), static_cast<std::int64_t>(found.size())};
    const auto to = call.out().as<std::int64_t>();
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        for (std::size_t i = 0; i < found.size(); ++i)
            to[axis * found.size() + i] = found[i] / strides[axis] % from.dims[axis];
    }
    return {};
}

Result<void> compress(KernelCall &call)
{
    const TensorView &from = call.in(0);
    TRY_AS(const auto walk, walkOf(call));
    const AxisParts &parts = walk.parts;
    const Dims wanted = integersIn(call.in(1));
    const std::int64_t bytes = parts.inner * sizeBytes(from.type);
    std::byte *to = call.out().data;
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < parts.outer; ++row) {
        count = 0;
        for (std::int64_t i = 0; i < std::min(parts.size, static_cast<std::int64_t>(wanted.size())); ++i) {
            if (wanted[static_cast<std::size_t>(i)] == 0)
                continue;
            std::copy_n(from.data + (row * parts.size + i) * bytes, bytes, to);
            to += bytes;
            ++count;
        }
    }
    call.out().dims[walk.axis] = count;
    return {};
}

Result<void> unique(KernelCall &call)
{
    const TensorView &from = call.in(0);
    TRY_AS(const auto walk, walkOf(call));
    const AxisParts &parts = walk.parts;
    const bool known = forAny(from.type, [&]<typename T>() {
        struct Entry {
            std::int64_t first = 0;
            std::int64_t count = 0;
            std::int64_t place = 0;
        };
        std::map<std::vector<T>, Entry> entries; // in order of their values
        std::vector<std::vector<T>> slices;
        for (std::int64_t i = 0; i < parts.size; ++i) {
            std::vector<T> slice;
            slice.reserve(static_cast<std::size_t>(parts.outer * parts.inner));
            for (std::int64_t k = 0; k < parts.outer * parts.inner; ++k)
                slice.push_back(from.as<T>()[static_cast<std::size_t>((k / parts.inner * parts.size + i) * parts.inner +
                                                                      k % parts.inner)]);
            ++entries.try_emplace(slice, Entry{i, 0, 0}).first->second.count;
            slices.push_back(std::move(slice));
        }
        std::vector<std::pair<const std::vector<T>, Entry> *> order;
        order.reserve(entries.size());
        for (auto &entry : entries)
            order.push_back(&entry);
        if (call.node.integer("sorted") == 0)
            std::ranges::sort(order, {}, [](const auto *entry) { return entry->second.first; });
        const auto count = static_cast<std::int64_t>(order.size());
        for (std::int64_t i = 0; i < count; ++i)
            order[static_cast<std::size_t>(i)]->second.place = i;
        if (call.wants(0)) {
            call.out(0).dims[walk.axis] = count;
            for (std::int64_t i = 0; i < count; ++i) {
                for (std::int64_t k = 0; k < parts.outer * parts.inner; ++k)
                    call.out(0).as<T>()[static_cast<std::size_t>((k / parts.inner * count + i) * parts.inner +
                                                                 k % parts.inner)] =
                        order[static_cast<std::size_t>(i)]->first[static_cast<std::size_t>(k)];
            }
        }
        for (const std::size_t output : {1U, 3U}) {
            if (!call.wants(output))
                continue;
            call.out(output).dims[0] = count;
            for (std::size_t i = 0; i < order.size(); ++i)
                call.out(output).as<std::int64_t>()[i] = output == 1 ? order[i]->second.first : order[i]->second.count;
        }
        if (call.wants(2)) {
            for (std::size_t i = 0; i < slices.size(); ++i)
                call.out(2).as<std::int64_t>()[i] = entries.at(slices[i]).place;
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> nonMaxSuppression(KernelCall &call)
{
    const Dims &dims = call.in(1).dims; // images x classes x boxes
    const auto number = [&](std::size_t i, double fallback) {
        return call.has(i) && call.in(i).size() > 0 ? realAt(call.in(i)) : fallback;
    };
    const std::int64_t most = call.has(2) && call.in(2).size() > 0 ? integersIn(call.in(2)).front() : 0;
    const std::optional<double> least =
        call.has(4) && call.in(4).size() > 0 ? std::optional(realAt(call.in(4))) : std::nullopt;
    const bool isCentred = call.node.integer("center_point_box") != 0;
    const auto to = call.out().as<std::int64_t>();
    std::int64_t count = 0;
    for (std::int64_t image = 0; image < dims[0]; ++image) {
        for (std::int64_t c = 0; c < dims[1]; ++c) {
            std::vector<double> scores;
            for (std::int64_t i = 0; i < dims[2]; ++i)
                scores.push_back(realAt(call.in(1), (image * dims[1] + c) * dims[2] + i));
            for (const std::int64_t box : kept(call.in(0), image, scores, isCentred, most, number(3, 0), least)) {
                const auto at = static_cast<std::size_t>(count * 3);
                if (at + 3 > to.size())
                    return refuse("it keeps more boxes than there is room for");
                to[at] = image;
                to[at + 1] = c;
                to[at + 2] = box;
                ++count;
            }
        }
    }
    call.out().dims[0] = count;
    return {};
}

} // namespace stagecraft::kernels
