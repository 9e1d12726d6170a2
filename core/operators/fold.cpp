#include "operators/fold.h"

#include "operators/kernels/regions.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"
#include "operators/shape_rules.h"

#include <algorithm>

namespace stagecraft {
namespace {

using Dims = std::vector<std::int64_t>;

// Whether the node has the same values in the same order, which are not copied.
bool sharesValues(const OperatorSchema &schema)
{
    return schema.type == "Identity" || schema.kind == OperatorKind::Reshape;
}

std::optional<std::vector<Constant>> shared(const NodeFacts &node)
{
    Constant constant = *node.constant(0);
    const auto dims = node.type == "Identity" ? Result<std::optional<Dims>>(constant.dims)
                                              : shape_rules::reshapedDims(node, constant.dims);
    if (!dims || !*dims || elementCount(**dims) != static_cast<std::int64_t>(constant.size()))
        return std::nullopt;
    constant.dims = **dims;
    std::vector<Constant> constants;
    constants.push_back(std::move(constant));
    return constants;
}

bool readsShapeOnly(const NodeFacts &node)
{
    return (node.type == "Shape" || node.type == "Size") && node.has(0) && node.shape(0).known && !node.shape(0).atMost;
}

std::optional<std::vector<Constant>> sizes(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    std::vector<Constant> constants;
    if (node.type == "Size") {
        constants.push_back(intConstant({}, {node.shape(0).elements()}));
        return constants;
    }
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto clamped = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t start = clamped(node.integer("start"));
    const std::int64_t end = std::max(start, clamped(node.gives("end") ? node.integer("end") : rank));
    constants.push_back(intConstant({end - start}, {dims.begin() + start, dims.begin() + end}));
    return constants;
}

// Whether all operands are constants, and none is missing that is always there.
bool hasConstants(const NodeFacts &node, const OperatorSchema &schema)
{
    for (std::size_t i = 0; i < schema.operands.size(); ++i) {
        if (schema.operands[i].need != OperandSchema::Need::Optional && !node.has(i))
            return false;
    }
    const bool takesSeveral = schema.operands.back().need == OperandSchema::Need::Several;
    return std::ranges::all_of(node.inputs,
                               [&](const auto &input) { return input ? input->constant != nullptr : !takesSeveral; });
}

double along(const Dims &dims, std::size_t axis)
{
    return axis < dims.size() ? static_cast<double>(std::max<std::int64_t>(1, dims[axis])) : 1.0;
}

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

// How many numbers one element of the result is made of, at most.
double depthOf(const NodeFacts &node, const OperatorSchema &schema, const Dims &result)
{
    const std::string &type = node.type;
    const auto sizeOf = [&](std::size_t i) {
        return node.constant(i) ? static_cast<double>(node.constant(i)->size()) : 0.0;
    };
    const double last = along(result, result.size() - 1); // 1 for a number
    if (type == "MatMul" || type == "Gemm" || type == "MatMulInteger")
        return sizeOf(1) / last;
    if (type == "QLinearMatMul")
        return sizeOf(3) / last;
    if (schema.shapes == shape_rules::recurrent)
        return (sizeOf(1) + sizeOf(2)) / last;
    if (schema.shapes == shape_rules::regions)
        return depthOfRegions(node, result);
    if (type == "LRN")
        return std::min(static_cast<double>(node.integer("size")), along(result, 1));
    const std::size_t weight = type == "QLinearConv" ? 3 : 1;
    const bool isWindowed = schema.shapes == shape_rules::windowed;
    if (isWindowed && node.constant(weight))
        return sizeOf(weight) / along(node.shape(weight).dims, 0);
    double most = 1;
    for (const std::int64_t size : isWindowed ? node.integers("kernel_shape") : Dims())
        most *= static_cast<double>(size); // of a pool
    for (std::size_t i = 0; type == "Einsum" && i < node.inputs.size(); ++i)
        most = std::max(most, sizeOf(i));
    // Of a transform, half of the axis may be left out on either side.
    for (std::size_t axis = 0; (type == "DFT" || type == "STFT") && axis + 1 < result.size(); ++axis)
        most = std::max({most, 2 * along(result, axis), type == "DFT" ? along(node.shape(0).dims, axis) : 1.0});
    return most;
}

} // namespace

std::optional<Constant> filled(const Constant &value, const std::vector<std::int64_t> &dims)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 28; // elements; more than any weight has
    const auto count = elementCount(dims);
    if (!count || *count > kMost)
        return std::nullopt;
    const auto repeat = [&](const auto &from) {
        return shared(std::remove_cvref_t<decltype(from)>(static_cast<std::size_t>(*count), from.front()));
    };
    return Constant{dims, value.type, std::visit(repeat, *value.values), value.elementType};
}

std::optional<std::vector<std::int64_t>> broadcastIndices(const std::vector<std::int64_t> &from,
                                                          const std::vector<std::int64_t> &to)
{
    const auto count = elementCount(to);
    const auto strides = count ? kernels::broadcastStrides(from, to) : std::nullopt;
    if (!strides)
        return std::nullopt;
    std::vector<std::int64_t> indices(static_cast<std::size_t>(*count));
    kernels::forElements<1>(to, {*strides},
                            [&](std::int64_t i, const auto &at) { indices[static_cast<std::size_t>(i)] = at[0]; });
    return indices;
}

std::optional<FoldEffort> foldEffort(const NodeFacts &node)
{
    if (readsShapeOnly(node))
        return FoldEffort{};
    const OperatorSchema *schema = schemaOf(node.type);
    if (!schema || !schema->kernel || !hasConstants(node, *schema))
        return std::nullopt;
    if (sharesValues(*schema))
        return FoldEffort{};
    const auto shapes = inferShapes(node);
    if (!shapes || !*shapes)
        return std::nullopt;
    FoldEffort effort;
    double visited = 0;
    for (const Shape &shape : **shapes) {
        if (!shape.known)
            return std::nullopt;
        const std::int64_t count = elementCount(shape.dims).value_or(0); // no rule produces absurd sizes
        effort.made += count;
        visited +=
            static_cast<double>(count) * (static_cast<double>(shape.dims.size()) + depthOf(node, *schema, shape.dims));
    }
    for (const auto &input : node.inputs)
        visited += input ? static_cast<double>(input->constant->size()) : 0;
    effort.visited = static_cast<std::int64_t>(std::min(visited, 1e18)); // more than any budget
    return effort;
}

std::optional<std::vector<Constant>> fold(const NodeFacts &node)
{
    if (unknownAttribute(node))
        return std::nullopt;
    if (readsShapeOnly(node))
        return sizes(node);
    const OperatorSchema *schema = schemaOf(node.type);
    if (!schema || !schema->kernel || !hasConstants(node, *schema))
        return std::nullopt;
    if (sharesValues(*schema))
        return shared(node);
    auto constants = evaluate(node);
    return constants ? std::optional(std::move(*constants)) : std::nullopt;
}

} // namespace stagecraft
