// Operators that models have less often (further_rows.cpp), and values chosen or made by other values.

#include "operators/kernels/einsum.h"
#include "operators/kernels/rotary.h"
#include "operators/shapes/shape_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft::shape_rules {
namespace {

std::int64_t elementsOf(const Dims &dims)
{
    return elementCount(dims).value_or(0);
}

// Images, channels, and these sizes.
Shapes likeImage(const NodeFacts &node, const Dims &sizes)
{
    Dims dims{node.shape(0).batch(), node.shape(0).channels()};
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    return one(std::move(dims));
}

} // namespace

Shapes scalar(const NodeFacts &)
{
    return one({});
}

Shapes shapeOf(const NodeFacts &node)
{
    const auto rank = static_cast<std::int64_t>(node.shape(0).dims.size());
    const auto clamped = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t start = clamped(node.integer("start"));
    const std::int64_t end = clamped(node.gives("end") ? node.integer("end") : rank);
    return one({std::max<std::int64_t>(0, end - start)});
}

Shapes gatheredNd(const NodeFacts &node)
{
    const Dims &data = node.shape(0).dims;
    if (!node.has(1) || node.shape(1).dims.empty())
        return refuse("it has no indices");
    const Dims &where = node.shape(1).dims;
    const std::int64_t batchDims = node.integer("batch_dims");
    if (batchDims < 0 || batchDims >= static_cast<std::int64_t>(std::min(where.size(), data.size() + 1)))
        return refuse("its batch_dims is out of range");
    const auto skipped = static_cast<std::size_t>(batchDims);
    const auto depth = static_cast<std::size_t>(where.back());
    if (skipped + depth > data.size() ||
        !std::equal(where.begin(), where.begin() + static_cast<std::ptrdiff_t>(skipped), data.begin()))
        return refuse("its indices do not fit its input");
    Dims dims(where.begin(), where.end() - 1);
    dims.insert(dims.end(), data.begin() + static_cast<std::ptrdiff_t>(skipped + depth), data.end());
    return one(std::move(dims));
}

Shapes oneHot(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    const Dims depth = node.constant(1)->asInts();
    const auto axis = axisWithin(node.integer("axis"), dims.size() + 1);
    if (!axis || depth.size() != 1)
        return refuse("its axis or its depth does not fit");
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), depth.front());
    return one(std::move(dims));
}

Shapes ranged(const NodeFacts &node)
{
    std::array<double, 3> at{};
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (node.constant(i)->size() != 1)
            return refuse("its start, limit and delta are one number each");
        at[i] = node.constant(i)->isFloat() ? static_cast<double>(node.constant(i)->asFloats()->front())
                                            : static_cast<double>(node.constant(i)->asInts().front());
    }
    const double length = std::ceil((at[1] - at[0]) / at[2]);
    if (!(std::abs(length) < 1e9)) // false for NaN
        return refuse("its length is absurd");
    return one({static_cast<std::int64_t>(std::max(length, 0.0))});
}

// ConstantOfShape
Shapes repeated(const NodeFacts &node)
{
    const Dims dims = node.constant(0)->asInts();
    if (std::ranges::any_of(dims, [](std::int64_t size) { return size < 0; }))
        return refuse("it asks for a negative size");
    return one(dims);
}

Shapes nonZero(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    return one({static_cast<std::int64_t>(dims.size()), elementsOf(dims)});
}

Shapes compressed(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    if (!node.has(1) || node.shape(1).dims.size() != 1)
        return refuse("it has no condition");
    const std::int64_t most = node.shape(1).dims.front();
    if (!node.gives("axis"))
        return one({std::min(most, elementsOf(dims))});
    const auto axis = axisWithin(node.integer("axis"), dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    dims[*axis] = std::min(most, dims[*axis]);
    return one(std::move(dims));
}

Shapes unique(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const bool isFlat = !node.gives("axis");
    const auto axis = axisWithin(isFlat ? 0 : node.integer("axis"), isFlat ? 1 : dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    const std::int64_t most = isFlat ? elementsOf(dims) : dims[*axis];
    std::vector<Shape> shapes(node.outputCount, Shape{{most}});
    if (!isFlat)
        shapes.front().dims = dims;
    return shapes;
}

Shapes suppressed(const NodeFacts &node)
{
    if (!node.has(1) || node.shape(1).dims.size() != 3 || node.shape(0).dims.size() != 3)
        return refuse("its boxes or scores do not fit");
    const Dims &scores = node.shape(1).dims;
    if (node.shape(0).dims != Dims{scores[0], scores[2], 4})
        return refuse(fmt::format("its boxes ({}) are not those of its scores ({})", listing(node.shape(0).dims),
                                  listing(scores)));
    const Dims most = node.constant(2) ? node.constant(2)->asInts() : Dims{0};
    const std::int64_t each = std::clamp<std::int64_t>(most.empty() ? 0 : most.front(), 0, scores[2]);
    return one({scores[0] * scores[1] * each, 3});
}

Shapes cropped(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    const Dims wanted = node.constant(1)->asInts();
    const Dims axes = node.integers("axes");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto axis = axisWithin(axes.empty()      ? static_cast<std::int64_t>(i)
                                     : i < axes.size() ? axes[i]
                                                       : -100,
                                     dims.size());
        if (!axis)
            return refuse("its axes are out of range");
        dims[*axis] = wanted[i];
    }
    return one(std::move(dims));
}

Shapes columnsToImage(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const std::int64_t block = elementsOf(node.constant(2)->asInts());
    const Dims image = node.constant(1)->asInts();
    if (dims.size() != 3 || block < 1 || dims[1] % block != 0)
        return refuse("its columns do not fit its block");
    Dims result{dims[0], dims[1] / block};
    result.insert(result.end(), image.begin(), image.end());
    return one(std::move(result));
}

Shapes einsum(const NodeFacts &node)
{
    std::vector<Dims> shapes;
    for (const auto &input : node.inputs) {
        if (!input)
            return refuse("one of its operands is left out");
        shapes.push_back(input->shape.dims);
    }
    TRY_AS(auto plan, kernels::planEinsum(node.text("equation"), shapes));
    return one(std::move(plan.outputDims));
}

Shapes rotated(const NodeFacts &node)
{
    TRY(kernels::planRotary(node));
    return likeFirst(node);
}

Shapes determinant(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    if (dims.size() < 2 || dims.back() != dims[dims.size() - 2])
        return refuse("it needs square matrices");
    dims.resize(dims.size() - 2);
    return one(std::move(dims));
}

// Those of a product, in the places that they have beside scales and zero points.
Shapes quantizedProduct(const NodeFacts &node)
{
    NodeFacts plain = node;
    if (!node.has(3))
        return refuse("it has one operand");
    plain.inputs = {node.inputs[0], node.inputs[3]};
    return matrixProduct(plain);
}

Shapes quantizedPair(const NodeFacts &node)
{
    const auto dims = node.has(3) ? broadcastDims(node.shape(0).dims, node.shape(3).dims) : std::nullopt;
    return dims ? one(*dims) : refuse("its operands have shapes that do not fit");
}

Shapes unpooled(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    if (node.has(2)) {
        Dims asked = node.constant(2)->asInts();
        if (asked.size() != dims.size())
            return refuse(fmt::format("its output_shape has {} sizes for the {} dimensions of its input", asked.size(),
                                      dims.size()));
        return one(std::move(asked));
    }
    const Dims kernel = node.integers("kernel_shape");
    if (dims.size() != kernel.size() + 2)
        return refuse("its window does not fit its input");
    Dims strides = node.integers("strides");
    Dims pads = node.integers("pads");
    strides.resize(kernel.size(), 1);
    pads.resize(2 * kernel.size(), 0);
    Dims sizes;
    for (std::size_t i = 0; i < kernel.size(); ++i)
        sizes.push_back((dims[i + 2] - 1) * strides[i] + kernel[i] - pads[i] - pads[i + kernel.size()]);
    return likeImage(node, sizes);
}

Shapes regions(const NodeFacts &node)
{
    if (node.shape(0).dims.size() != 4 || !node.has(1) || node.shape(1).dims.size() != 2)
        return refuse("it needs an image and regions");
    const Dims sizes = node.type == "RoiAlign" ? Dims{node.integer("output_height"), node.integer("output_width")}
                                               : node.integers("pooled_shape");
    if (sizes.size() != 2)
        return refuse("it needs the size of its regions");
    return one({node.shape(1).dims[0], node.shape(0).dims[1], sizes[0], sizes[1]});
}

Shapes sampledOnGrid(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    if (!node.has(1) || dims.size() < 3 || node.shape(1).dims.size() != dims.size() ||
        node.shape(1).dims.back() != static_cast<std::int64_t>(dims.size()) - 2 || node.shape(1).batch() != dims[0])
        return refuse("its grid does not fit its input");
    const Dims &grid = node.shape(1).dims;
    return likeImage(node, {grid.begin() + 1, grid.end() - 1});
}

Shapes affineGrid(const NodeFacts &node)
{
    const Dims size = node.constant(1)->asInts();
    if (size.size() != 4 && size.size() != 5)
        return refuse("its size is that of images of two or three dimensions");
    const auto rank = static_cast<std::int64_t>(size.size()) - 2;
    if (node.shape(0).dims != Dims{size.front(), rank, rank + 1})
        return refuse(fmt::format("its theta ({}) is not for images of its size", listing(node.shape(0).dims)));
    Dims dims(size.begin() + 2, size.end());
    dims.insert(dims.begin(), size.front());
    dims.push_back(rank);
    return one(std::move(dims));
}

Shapes signalWindow(const NodeFacts &node)
{
    const Dims size = node.constant(0)->asInts();
    return size.size() == 1 ? one({size.front()}) : refuse("its size is one number");
}

Shapes fourier(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    if (dims.size() < 2 || dims.back() < 1 || dims.back() > 2)
        return refuse(fmt::format("its numbers ({}) do not have one part or two", listing(dims)));
    for (const std::size_t place : {1U, 2U}) {
        if (node.constant(place) && node.constant(place)->size() != 1)
            return refuse("its dft_length and its axis are one number each");
    }
    const bool isOld = node.opset != 0 && node.opset < 20;
    const std::int64_t wanted = isOld              ? (node.gives("axis") ? node.integer("axis") : 1)
                                : node.constant(2) ? node.constant(2)->asInts().front()
                                                   : -2;
    const auto axis = axisWithin(wanted, dims.size());
    if (!axis || *axis + 1 >= dims.size())
        return refuse("its axis is out of range");
    const bool isHalf = node.integer("onesided") != 0;
    const bool isInverse = node.integer("inverse") != 0;
    if (node.constant(1) && node.constant(1)->size() == 1)
        dims[*axis] = node.constant(1)->asInts().front();
    else if (isHalf && isInverse)
        dims[*axis] = 2 * (dims[*axis] - 1);
    if (isHalf && !isInverse)
        dims[*axis] = dims[*axis] / 2 + 1;
    dims.back() = isHalf && isInverse ? 1 : 2;
    return one(std::move(dims));
}

Shapes fourierFrames(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const Dims step = node.constant(1)->asInts();
    std::int64_t length = node.has(2) ? node.shape(2).elements() : 0;
    if (node.constant(3) && node.constant(3)->size() > 1)
        return refuse("its frame_length is one number");
    if (node.constant(3) && node.constant(3)->size() == 1)
        length = node.constant(3)->asInts().front();
    if (dims.size() != 3 || dims.back() < 1 || dims.back() > 2 || step.size() != 1 || step.front() < 1 || length < 1 ||
        length > dims[1])
        return refuse("its frames do not fit its signal");
    const std::int64_t frequencies = node.integer("onesided") != 0 ? length / 2 + 1 : length;
    return one({dims[0], (dims[1] - length) / step.front() + 1, frequencies, 2});
}

Shapes likelihoodLoss(const NodeFacts &node)
{
    if (!node.has(1) || node.shape(0).dims.size() < 2)
        return refuse("it needs classes and a target");
    std::vector<Shape> shapes{node.text("reduction") == "none" ? node.shape(1) : Shape{}};
    if (node.outputCount > 1)
        shapes.push_back(node.shape(0));
    return shapes;
}

} // namespace stagecraft::shape_rules
