// Every element by itself, sums over axes, products of matrices, recurrent layers.

#include "operators/shapes/shape_rules.h"

#include <algorithm>
#include <set>

namespace stagecraft::shape_rules {

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput, std::move(message), "Export the model again with consistent shapes");
}

Shapes one(Dims dims)
{
    std::vector<Shape> shapes(1);
    shapes.front().dims = std::move(dims);
    return shapes;
}

Shapes unknown(std::size_t count)
{
    return std::vector<Shape>(count, Shape{{}, false});
}

std::string listing(const Dims &dims)
{
    return toString(Shape{dims});
}

std::optional<Dims> broadcastDims(const Dims &a, const Dims &b)
{
    Dims result = a.size() >= b.size() ? a : b;
    const Dims &shorter = a.size() >= b.size() ? b : a;
    const std::size_t offset = result.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t &dim = result[i + offset];
        if (dim == 1)
            dim = shorter[i];
        else if (shorter[i] != 1 && shorter[i] != dim)
            return std::nullopt;
    }
    return result;
}

Shapes broadcastAll(const NodeFacts &node)
{
    if (node.opset < 7 && node.gives("axis")) // the second operand is broadcast to the first
        return one(node.shape(0).dims);
    std::optional<Dims> dims = Dims{};
    for (const auto &input : node.inputs) {
        if (!input)
            continue;
        const auto next = broadcastDims(*dims, input->shape.dims);
        if (!next)
            return refuse("its operands have shapes that do not fit (" + listing(*dims) + " and " +
                          listing(input->shape.dims) + ")");
        dims = next;
    }
    return one(*dims);
}

// One slope, or slopes that broadcast to the input; before opset 7, one per channel.
Shapes slopes(const NodeFacts &node)
{
    if (!node.has(1))
        return refuse("it has no slope");
    const Dims &dims = node.shape(0).dims;
    const Dims &slope = node.shape(1).dims;
    const bool byChannel = node.opset < 7 && slope.size() == 1 && dims.size() > 1 && slope[0] == dims[1];
    if (!byChannel && broadcastDims(dims, slope) != dims)
        return refuse("its slope (" + listing(slope) + ") does not fit its input (" + listing(dims) + ")");
    return one(dims);
}

Shapes likeFirst(const NodeFacts &node)
{
    return one(node.shape(0).dims);
}

Shapes alongAxis(const NodeFacts &node)
{
    const std::size_t rank = node.shape(0).dims.size();
    if (rank > 0 && !axisWithin(node.integer("axis"), rank))
        return refuse("its axis is out of range");
    return likeFirst(node);
}

Shapes reduced(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const auto given = node.integersFrom("axes", 1);
    if (given.given && !given.values)
        return unknown();
    std::set<std::size_t> axes;
    for (const std::int64_t axis : given.values.value_or(Dims{})) {
        const auto within = axisWithin(axis, dims.size());
        if (!within)
            return refuse("its axes are out of range");
        axes.insert(*within);
    }
    if (axes.empty() && node.integer("noop_with_empty_axes") == 0) {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.insert(i);
    }
    const bool keep = node.integer("keepdims") != 0;
    Dims result;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (!axes.contains(i))
            result.push_back(dims[i]);
        else if (keep)
            result.push_back(1);
    }
    return one(std::move(result));
}

Shapes reducedToPlace(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis"), dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    if (node.integer("keepdims") != 0)
        dims[*axis] = 1;
    else
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    return one(std::move(dims));
}

Shapes matrixProduct(const NodeFacts &node)
{
    if (!node.has(1))
        return refuse("it has one operand");
    Dims a = node.shape(0).dims;
    Dims b = node.shape(1).dims;
    if (a.empty() || b.empty())
        return refuse("it multiplies a scalar");
    const bool rowVector = a.size() == 1;
    const bool columnVector = b.size() == 1;
    if (rowVector)
        a.insert(a.begin(), 1);
    if (columnVector)
        b.push_back(1);
    if (a.back() != b[b.size() - 2])
        return refuse("it multiplies matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    const auto batch = broadcastDims({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!batch)
        return refuse("it multiplies stacks of matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    Dims dims = *batch;
    if (!rowVector)
        dims.push_back(a[a.size() - 2]);
    if (!columnVector)
        dims.push_back(b.back());
    return one(std::move(dims));
}

Shapes generalProduct(const NodeFacts &node)
{
    if (!node.has(1) || node.shape(0).dims.size() != 2 || node.shape(1).dims.size() != 2)
        return refuse("it needs two matrices");
    const bool transA = node.integer("transA") != 0;
    const bool transB = node.integer("transB") != 0;
    const Dims &a = node.shape(0).dims;
    const Dims &b = node.shape(1).dims;
    if (a[transA ? 0 : 1] != b[transB ? 1 : 0])
        return refuse("it multiplies matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    return one({a[transA ? 1 : 0], b[transB ? 0 : 1]});
}

// Recurrent layers: [sequence, directions, batch, hidden], and the last states; with layout 1 the batch comes first.
Shapes recurrent(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    const std::int64_t hidden = node.gives("hidden_size") || !node.has(2) || node.shape(2).dims.empty()
                                    ? node.integer("hidden_size")
                                    : node.shape(2).dims.back();
    if (dims.size() != 3 || hidden < 1)
        return unknown(node.outputCount);
    const std::int64_t directions = node.text("direction") == "bidirectional" ? 2 : 1;
    const bool batchFirst = node.integer("layout") == 1;
    std::vector<Shape> shapes{batchFirst ? Shape{{dims[0], dims[1], directions, hidden}}
                                         : Shape{{dims[0], directions, dims[1], hidden}}};
    while (shapes.size() < node.outputCount)
        shapes.push_back(batchFirst ? Shape{{dims[0], directions, hidden}} : Shape{{directions, dims[1], hidden}});
    return shapes;
}

Shapes largest(const NodeFacts &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis"), dims.size());
    const auto count = node.has(1) ? (node.constant(1) ? node.constant(1)->asInts() : Dims{}) : Dims{node.integer("k")};
    if (!axis)
        return refuse("its axis is out of range");
    if (!node.has(1) && !node.gives("k"))
        return refuse("it has no K");
    if (count.size() != 1)
        return unknown(node.outputCount);
    dims[*axis] = count.front();
    return std::vector<Shape>(node.outputCount, Shape{std::move(dims)});
}

Shapes likeSecond(const NodeFacts &node)
{
    return node.has(1) ? one(node.shape(1).dims) : unknown();
}

Shapes normalized(const NodeFacts &node)
{
    if (node.type == "LayerNormalization") {
        if (auto first = alongAxis(node); !first)
            return first;
    }
    std::vector<Shape> shapes(node.outputCount, Shape{{}, false});
    shapes.front() = node.shape(0);
    if (shapes.size() == 1)
        return shapes;
    Shape further = node.shape(0); // the mask of a Dropout
    if (node.type == "BatchNormalization" && further.dims.size() > 1) {
        further.dims = {further.dims[1]};
    } else if (node.type == "LayerNormalization") {
        const auto axis = axisWithin(node.integer("axis"), further.dims.size());
        std::fill(further.dims.begin() + static_cast<std::ptrdiff_t>(axis.value_or(0)), further.dims.end(), 1);
    }
    std::fill(shapes.begin() + 1, shapes.end(), further);
    return shapes;
}

Shapes quantizedByItself(const NodeFacts &node)
{
    return std::vector<Shape>{node.shape(0), Shape{}, Shape{}};
}

} // namespace stagecraft::shape_rules
