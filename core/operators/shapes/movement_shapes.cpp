#include "operators/shapes/shape_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace stagecraft::shape_rules {

Shapes transposed(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    Dims order = node.integers("perm");
    if (order.empty()) {
        for (std::size_t i = dims.size(); i-- > 0;)
            order.push_back(static_cast<std::int64_t>(i));
    }
    Dims sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] != static_cast<std::int64_t>(i))
            return refuse("its perm is not an order of the dimensions");
    }
    if (order.size() != dims.size())
        return refuse(
            fmt::format("its perm has {} entries for the {} dimensions of its input", order.size(), dims.size()));
    Dims result;
    for (const std::int64_t axis : order)
        result.push_back(dims[static_cast<std::size_t>(axis)]);
    return one(std::move(result));
}

Shapes joined(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis"), dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        if (!node.has(i))
            continue;
        Dims others = node.shape(i).dims;
        bool fits = others.size() == dims.size();
        for (std::size_t k = 0; fits && k < dims.size(); ++k)
            fits = k == *axis || others[k] == dims[k];
        if (!fits)
            return refuse(
                fmt::format("it joins tensors whose shapes do not fit ({} and {})", listing(dims), listing(others)));
        dims[*axis] += others[*axis];
    }
    return one(std::move(dims));
}

Shapes gathered(const NodeFacts &node)
{
    if (!node.has(1))
        return refuse("it has no indices");
    const Dims &data = node.shape(0).dims;
    const Dims &where = node.shape(1).dims;
    const auto axis = axisWithin(node.integer("axis"), data.size());
    if (!axis)
        return refuse("its axis is out of range");
    const auto place = data.begin() + static_cast<std::ptrdiff_t>(*axis);
    Dims dims(data.begin(), place);
    dims.insert(dims.end(), where.begin(), where.end());
    dims.insert(dims.end(), place + 1, data.end());
    return one(std::move(dims));
}

Shapes sliced(const NodeFacts &node)
{
    for (const auto &[name, place] : {std::pair<std::string_view, std::size_t>("starts", 1), {"ends", 2}}) {
        if (!node.integersFrom(name, place).given)
            return refuse("it has no " + std::string(name));
    }
    const auto ranges = sliceRanges(node, node.shape(0).dims);
    if (!ranges) // the operands are constants here
        return refuse("its starts, ends, axes and steps do not fit its input " + listing(node.shape(0).dims));
    Dims dims;
    for (const SliceRange &range : *ranges)
        dims.push_back(range.count);
    return one(std::move(dims));
}

Shapes split(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis"), dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    const auto given = node.integersFrom("split", 1);
    if (given.given && !given.values)
        return unknown(node.outputCount);
    Dims lengths = given.values.value_or(Dims{});
    const auto outputs = static_cast<std::int64_t>(node.outputCount);
    if (!given.given) {
        const std::int64_t size = (dims[*axis] + outputs - 1) / outputs;
        for (std::int64_t i = 0; i < outputs; ++i)
            lengths.push_back(std::min(size, dims[*axis] - i * size));
    }
    std::int64_t total = 0;
    bool fits = lengths.size() == node.outputCount;
    for (const std::int64_t length : lengths) {
        fits = fits && length >= 0 && length <= dims[*axis];
        total += fits ? length : 0;
    }
    if (!fits || total != dims[*axis])
        return refuse(
            fmt::format("it does not split the {} entries of its axis into its {} outputs", dims[*axis], outputs));
    std::vector<Shape> shapes;
    for (const std::int64_t length : lengths) {
        Dims part = dims;
        part[*axis] = length;
        shapes.push_back(Shape{std::move(part)});
    }
    return shapes;
}

Shapes expanded(const NodeFacts &node)
{
    const auto dims = broadcastDims(node.shape(0).dims, node.constant(1)->asInts());
    return dims ? one(*dims) : refuse("its input does not expand to the shape asked for");
}

Shapes tiled(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    const Dims repeats = node.constant(1)->asInts();
    if (repeats.size() != dims.size())
        return refuse("its repeats do not fit its input");
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (repeats[i] < 0 || repeats[i] > (std::int64_t{1} << 24))
            return refuse("its repeats are absurd");
        dims[i] *= repeats[i];
        if (dims[i] > (std::int64_t{1} << 36))
            return refuse("its output is absurdly large");
    }
    return one(std::move(dims));
}

Shapes inBlocks(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const std::int64_t block = node.integer("blocksize");
    if (dims.size() != 4 || block < 1 || block > 1024)
        return refuse("it needs an image and a block size of at least 1");
    const std::int64_t area = block * block;
    if (node.type == "DepthToSpace") {
        if (dims[1] % area != 0)
            return refuse("its channels do not fall into blocks");
        return one({dims[0], dims[1] / area, dims[2] * block, dims[3] * block});
    }
    if (dims[2] % block != 0 || dims[3] % block != 0)
        return refuse("its image does not fall into blocks");
    return one({dims[0], dims[1] * area, dims[2] / block, dims[3] / block});
}

Shapes reshaped(const NodeFacts &node)
{
    TRY_AS(auto dims, reshapedDims(node, node.shape(0).dims));
    return dims ? one(std::move(*dims)) : unknown();
}

std::optional<std::vector<SliceRange>> sliceRanges(const NodeFacts &node, const Dims &dims)
{
    const auto starts = node.integersFrom("starts", 1);
    const auto ends = node.integersFrom("ends", 2);
    if (!starts.values || !ends.values || starts.values->size() != ends.values->size())
        return std::nullopt;
    const std::size_t count = starts.values->size();
    const auto givenAxes = node.integersFrom("axes", 3);
    const auto givenSteps = node.integersFrom("steps", 4);
    if ((givenAxes.given && !givenAxes.values) || (givenSteps.given && !givenSteps.values))
        return std::nullopt;
    Dims axes = givenAxes.values.value_or(Dims{});
    Dims steps = givenSteps.values.value_or(Dims{});
    for (std::size_t i = axes.size(); i < count; ++i)
        axes.push_back(static_cast<std::int64_t>(i));
    steps.resize(std::max(steps.size(), count), 1);
    std::vector<SliceRange> ranges;
    ranges.reserve(dims.size());
    for (const std::int64_t dim : dims)
        ranges.push_back({0, 1, dim});
    for (std::size_t i = 0; i < count; ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        const std::int64_t step = steps[i];
        if (!axis || step == 0 || step == std::numeric_limits<std::int64_t>::min())
            return std::nullopt;
        const std::int64_t size = dims[*axis];
        const auto clamped = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
            return std::clamp(at < 0 ? at + size : at, low, high);
        };
        SliceRange &range = ranges[*axis];
        range.step = step;
        if (step > 0) {
            range.start = clamped((*starts.values)[i], 0, size);
            const std::int64_t end = clamped((*ends.values)[i], 0, size);
            range.count = end > range.start ? (end - range.start - 1) / step + 1 : 0;
        } else {
            range.start = clamped((*starts.values)[i], -1, size - 1);
            const std::int64_t end = clamped((*ends.values)[i], -1, size - 1);
            range.count = range.start > end ? (range.start - end - 1) / -step + 1 : 0;
        }
    }
    return ranges;
}

Result<std::optional<Dims>> reshapedDims(const NodeFacts &node, const Dims &dims)
{
    const auto count = elementCount(dims);
    if (!count)
        return refuse("its input shape is absurd");
    if (node.type == "Flatten") {
        const std::int64_t axis = node.integer("axis");
        const auto rank = static_cast<std::int64_t>(dims.size());
        if (axis < -rank || axis > rank)
            return refuse("its axis is out of range");
        Dims result{1, 1};
        for (std::int64_t i = 0; i < rank; ++i)
            result[i < (axis < 0 ? axis + rank : axis) ? 0 : 1] *= dims[static_cast<std::size_t>(i)];
        return result;
    }
    const bool squeezes = node.type == "Squeeze";
    if (squeezes || node.type == "Unsqueeze") {
        const auto axes = node.integersFrom("axes", 1);
        if (!axes.given && !squeezes)
            return refuse("it has no axes");
        if (axes.given && !axes.values)
            return std::nullopt;
        const std::size_t rank = squeezes ? dims.size() : dims.size() + axes.values->size();
        std::set<std::size_t> chosen;
        for (const std::int64_t axis : axes.values.value_or(Dims{})) {
            const auto within = axisWithin(axis, rank);
            if (!within || !chosen.insert(*within).second || (squeezes && dims[*within] != 1))
                return refuse("its axes do not fit its input " + listing(dims));
        }
        Dims result;
        std::size_t next = 0;
        for (std::size_t i = 0; i < rank; ++i) {
            if (squeezes) {
                if (axes.given ? !chosen.contains(i) : dims[i] != 1)
                    result.push_back(dims[i]);
            } else {
                result.push_back(chosen.contains(i) ? 1 : dims[next++]);
            }
        }
        return result;
    }
    const auto target = node.integersFrom("shape", 1);
    if (!target.given)
        return refuse("it has no shape");
    if (!target.values)
        return std::nullopt;
    Dims result = *target.values;
    const bool keepsZeros = node.integer("allowzero") != 0;
    std::optional<std::size_t> open;
    std::int64_t product = 1;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == 0 && !keepsZeros) {
            if (i >= dims.size())
                return refuse(fmt::format("it keeps a dimension that its input {} does not have", listing(dims)));
            result[i] = dims[i];
        }
        if (result[i] == -1 && !open) {
            open = i;
            continue;
        }
        if (result[i] < 0 || result[i] > (std::int64_t{1} << 36))
            return refuse(fmt::format("its target shape has the size {}", result[i]));
        if (result[i] > 0 && product > (std::int64_t{1} << 36) / result[i])
            return refuse("its target shape is absurdly large");
        product *= result[i];
    }
    if (open && product > 0 && *count % product == 0)
        result[*open] = *count / product;
    else if (open || product != *count)
        return refuse(fmt::format("it turns {} into {}, which has another number of values", listing(dims),
                                  listing(*target.values)));
    return result;
}

} // namespace stagecraft::shape_rules
