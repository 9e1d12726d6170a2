#include "operators/folding/fold_effort.h"

#include "operators/kernels/einsum.h"
#include "operators/kernels/kernels.h"
#include "operators/kernels/regions.h"
#include "operators/kernels/typed.h"
#include "operators/shapes/shape_rules.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr double kFunction = 8; // visits that a sine, a power or the like takes as long as

double along(const Dims &dims, std::size_t axis)
{
    return axis < dims.size() ? static_cast<double>(std::max<std::int64_t>(1, dims[axis])) : 1.0;
}

double product(std::span<const std::int64_t> dims)
{
    double all = 1;
    for (const std::int64_t size : dims)
        all *= static_cast<double>(size);
    return all;
}

double sizeOf(const NodeFacts &node, std::size_t operand)
{
    return node.constant(operand) ? static_cast<double>(node.constant(operand)->size()) : 0.0;
}

// How many numbers one element of the result is made of.

// What a bin of a region is made of, on average.
double depthOfRegions(const NodeFacts &node, const Dims &result)
{
    const Dims &image = node.shape(0).dims;
    if (node.type == "MaxRoiPool") // bins overlap by less than an element on each side
        return (along(image, 2) / along(result, 2) + 2) * (along(image, 3) / along(result, 3) + 2);
    constexpr double kCorners = 4; // of a sample
    const double samples = kernels::samplesOfRegions(node, tensorOf(*node.constant(1)).view);
    return kCorners * samples / (along(result, 0) * along(result, 2) * along(result, 3));
}

// For each of the places that are summed over: the place in every operand, axis by axis.
double depthOfEinsum(const NodeFacts &node)
{
    std::vector<Dims> shapes;
    for (const auto &input : node.inputs)
        shapes.push_back(input->shape.dims);
    const auto plan = kernels::planEinsum(node.text("equation"), shapes);
    if (!plan)
        return 1;
    const auto axes = static_cast<double>(plan->outputDims.size() + plan->summedDims.size());
    return product(plan->summedDims) * static_cast<double>(shapes.size()) * (1 + 2 * axes);
}

// Half of the axis may be left out on either side.
double depthOfTransform(const NodeFacts &node, const Dims &result)
{
    double most = node.type == "STFT" ? std::max(1.0, sizeOf(node, 2)) : 1;
    for (std::size_t axis = 0; axis + 1 < result.size(); ++axis)
        most = std::max({most, 2 * along(result, axis), node.type == "DFT" ? along(node.shape(0).dims, axis) : 1.0});
    return 2 * kFunction * most;
}

// Neighbours of a place of a grid.
double depthOfGrid(const NodeFacts &node, const Dims &result)
{
    const std::string mode = node.text("mode");
    const double taps = mode == "nearest" ? 1 : mode == "cubic" || mode == "bicubic" ? 4 : 2;
    const double axes = static_cast<double>(std::max<std::size_t>(result.size(), 2) - 2);
    return std::pow(taps, axes) + kFunction * axes;
}

double depthOf(const NodeFacts &node, const OperatorSchema &schema, const Dims &result)
{
    const std::string &type = node.type;
    const double last = along(result, result.size() - 1); // 1 for a number
    if (type == "MatMul" || type == "Gemm" || type == "MatMulInteger")
        return sizeOf(node, 1) / last;
    if (type == "QLinearMatMul")
        return sizeOf(node, 3) / last;
    if (type == "Einsum")
        return depthOfEinsum(node);
    if (type == "DFT" || type == "STFT")
        return depthOfTransform(node, result);
    if (type == "GridSample")
        return depthOfGrid(node, result);
    if (type == "LRN")
        return kFunction + std::min(static_cast<double>(node.integer("size")), along(result, 1));
    if (type == "Det")
        return std::pow(along(node.shape(0).dims, node.shape(0).dims.size() - 1), 3);
    if (schema.shapes == shape_rules::recurrent)
        return (sizeOf(node, 1) + sizeOf(node, 2)) / last;
    if (schema.shapes == shape_rules::regions)
        return depthOfRegions(node, result);
    if (schema.shapes == shape_rules::broadcastAll) // operands are taken in one after another
        return static_cast<double>(result.size() + 1) *
               static_cast<double>(std::max<std::size_t>(1, node.inputs.size()) - 1);
    if (schema.kernel == kernels::unary || schema.kernel == kernels::softmax || schema.kernel == kernels::signalWindow)
        return kFunction;
    const bool isWindowed = schema.shapes == shape_rules::windowed;
    const std::size_t weight = type == "QLinearConv" ? 3 : 1;
    if (isWindowed && node.constant(weight))
        return sizeOf(node, weight) / along(node.shape(weight).dims, 0);
    return isWindowed ? product(node.integers("kernel_shape")) * (type == "LpPool" ? kFunction : 1) : 1; // of a pool
}

// What does not follow from the number of results.
struct Further {
    double made = 0; // in between
    double visited = 0;
};

// Boxes are sorted, and compared with those that are kept.
Further suppressing(const NodeFacts &node)
{
    const Dims &scores = node.shape(1).dims;
    const double boxes = along(scores, 2);
    const Dims most = node.constant(2) ? node.constant(2)->asInts() : Dims();
    const double kept = std::clamp(most.empty() ? 0.0 : static_cast<double>(most.front()), 0.0, boxes);
    return {0, along(scores, 0) * along(scores, 1) * boxes * (std::log2(boxes + 1) + kFunction * (1 + kept))};
}

// One axis after another, each from what those before it made.
Further resizing(const NodeFacts &node, const Dims &result)
{
    const std::string mode = node.text("mode");
    const double reach = mode == "nearest" ? 1 : mode == "cubic" ? 4 : 2;
    Dims dims = node.shape(0).dims;
    Further all;
    for (std::size_t axis = 0; axis < dims.size() && axis < result.size(); ++axis) {
        const double shrinks = along(dims, axis) / along(result, axis);
        const double taps = node.type == "Resize" && node.integer("antialias") != 0 ? reach * (shrinks + 2) : reach;
        dims[axis] = result[axis];
        all.made += product(dims) + taps * along(result, axis);
        all.visited += product(dims) * taps + kFunction * taps * along(result, axis);
    }
    return all;
}

// Slices along an axis, or single elements, are found among those before.
Further sorting(const NodeFacts &node)
{
    const double all = sizeOf(node, 0);
    return {2 * all, all * (kFunction + std::log2(all + 1))};
}

// Every element of the input is spread over a window.
Further spreading(const NodeFacts &node)
{
    return {0, sizeOf(node, 0) * sizeOf(node, 1) / along(node.shape(1).dims, 0)};
}

Further furtherOf(const NodeFacts &node, const Dims &result)
{
    const std::string &type = node.type;
    if (type == "NonMaxSuppression")
        return suppressing(node);
    if (type == "Resize" || type == "Upsample")
        return resizing(node, result);
    if (type == "Unique" || type == "TopK")
        return sorting(node);
    if (type == "ConvTranspose" && node.constant(1))
        return spreading(node);
    if (type.starts_with("Reduce"))
        return {0, kFunction * sizeOf(node, 0)};
    return {};
}

std::int64_t counted(double amount)
{
    return static_cast<std::int64_t>(std::min(amount, 1e18)); // more than any budget
}

} // namespace

FoldEffort effortOf(const NodeFacts &node, const OperatorSchema &schema, std::span<const Shape> outputs)
{
    Further all = outputs.empty() ? Further() : furtherOf(node, outputs.front().dims);
    for (const Shape &shape : outputs) {
        const auto count = static_cast<double>(elementCount(shape.dims).value_or(0)); // no rule produces absurd sizes
        all.made += count;
        all.visited += count * (static_cast<double>(shape.dims.size()) + depthOf(node, schema, shape.dims));
    }
    for (const auto &input : node.inputs)
        all.visited += input ? 1 + static_cast<double>(input->constant->size()) : 0;
    return {counted(all.made), counted(all.visited)};
}

} // namespace stagecraft
