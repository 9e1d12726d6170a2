#include "operators/folding/fold.h"

#include "operators/folding/fold_effort.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"
#include "operators/shapes/shape_rules.h"

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
    const bool areKnown = std::ranges::all_of(**shapes, &Shape::known);
    return areKnown ? std::optional(effortOf(node, *schema, **shapes)) : std::nullopt;
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
