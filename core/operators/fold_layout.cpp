#include "operators/fold_rules.h"
#include "operators/schema.h"
#include "operators/shape_rules.h"

#include <algorithm>
#include <set>
#include <type_traits>

namespace stagecraft {
namespace fold_rules {

std::optional<std::int64_t> foldableCount(const Dims &dims)
{
    const auto count = elementCount(dims);
    return count && *count <= kMaxFolded ? count : std::nullopt;
}

Folded one(Constant constant)
{
    std::vector<Constant> constants;
    constants.push_back(std::move(constant));
    return constants;
}

Dims strides(const Dims &dims)
{
    Dims result(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;)
        result[axis - 1] = result[axis] * std::max<std::int64_t>(dims[axis], 1);
    return result;
}

} // namespace fold_rules

namespace {

using namespace fold_rules;
using shape_rules::broadcastDims;
using shape_rules::reshapedDims;
using shape_rules::SliceRange;
using shape_rules::sliceRanges;

// Rearranges `constant`: element i of the result is element indices[i].
Constant picked(const Constant &constant, Dims dims, const std::vector<std::int64_t> &indices)
{
    const auto pick = [&](const auto &from) {
        std::remove_cvref_t<decltype(from)> values(indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i)
            values[i] = from[static_cast<std::size_t>(indices[i])];
        return shared(std::move(values));
    };
    return {std::move(dims), constant.type, std::visit(pick, *constant.values), constant.elementType};
}

// Calls `index` with the coordinates of every element in order.
template <typename Index>
std::vector<std::int64_t> indicesOver(const Dims &dims, std::int64_t count, Index index)
{
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    Dims at(dims.size(), 0);
    for (std::int64_t &value : indices) {
        value = index(at);
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            if (++at[axis] < dims[axis])
                break;
            at[axis] = 0;
        }
    }
    return indices;
}

Constant reshaped(const Constant &constant, Dims dims)
{
    Constant result = constant;
    result.dims = std::move(dims);
    return result;
}

Folded foldShape(const NodeFacts &node)
{
    if (!node.has(0) || !node.shape(0).known)
        return std::nullopt;
    const Dims &dims = node.shape(0).dims;
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto clamped = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t start = clamped(node.integer("start"));
    const std::int64_t end = std::max(start, clamped(node.gives("end") ? node.integer("end") : rank));
    return one(intConstant({end - start}, {dims.begin() + start, dims.begin() + end}));
}

} // namespace

namespace fold_rules {

Folded identity(const NodeFacts &node)
{
    return one(*node.constant(0));
}

Folded gather(const NodeFacts &node)
{
    const Constant &data = *node.constant(0);
    const Constant &where = *node.constant(1);
    const auto axis = axisWithin(node.integer("axis"), data.dims.size());
    if (!axis || where.isFloat())
        return std::nullopt;
    Dims dims(data.dims.begin(), data.dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    dims.insert(dims.end(), where.dims.begin(), where.dims.end());
    dims.insert(dims.end(), data.dims.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data.dims.end());
    const auto count = foldableCount(dims);
    const std::int64_t size = data.dims[*axis];
    const std::vector<std::int64_t> places = where.asInts();
    const auto outside = [&](std::int64_t i) { return i < -size || i >= size; };
    if (!count || std::ranges::any_of(places, outside))
        return std::nullopt;
    const Dims dataStrides = strides(data.dims);
    const Dims whereStrides = strides(where.dims);
    const std::size_t rank = where.dims.size();
    return one(picked(data, dims, indicesOver(dims, *count, [&](const Dims &at) {
                          std::int64_t position = 0;
                          for (std::size_t i = 0; i < rank; ++i)
                              position += at[*axis + i] * whereStrides[i];
                          const std::int64_t chosen = places[static_cast<std::size_t>(position)];
                          std::int64_t index = (chosen < 0 ? chosen + size : chosen) * dataStrides[*axis];
                          for (std::size_t i = 0; i < data.dims.size(); ++i) {
                              if (i != *axis)
                                  index += at[i < *axis ? i : i + rank - 1] * dataStrides[i];
                          }
                          return index;
                      })));
}

Folded concat(const NodeFacts &node)
{
    const Constant &first = *node.constant(0);
    const auto axis = axisWithin(node.integer("axis"), first.dims.size());
    if (!axis)
        return std::nullopt;
    Dims dims = first.dims;
    dims[*axis] = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Constant &part = *node.constant(i);
        Dims others = part.dims;
        if (others.size() != dims.size() || part.isFloat() != first.isFloat())
            return std::nullopt;
        others[*axis] = dims[*axis];
        if (others != dims)
            return std::nullopt;
        dims[*axis] += part.dims[*axis];
    }
    const auto count = foldableCount(dims);
    if (!count)
        return std::nullopt;
    std::int64_t outer = 1;
    for (std::size_t i = 0; i < *axis; ++i)
        outer *= dims[i];
    const auto join = [&](const auto &parts) {
        std::vector<typename std::remove_cvref_t<decltype(*parts.front())>::value_type> values;
        values.reserve(static_cast<std::size_t>(*count));
        for (std::int64_t row = 0; row < outer; ++row) {
            for (const auto &part : parts) {
                const auto length = static_cast<std::ptrdiff_t>(part->size()) / std::max<std::int64_t>(outer, 1);
                values.insert(values.end(), part->begin() + row * length, part->begin() + (row + 1) * length);
            }
        }
        return shared(std::move(values));
    };
    std::vector<std::shared_ptr<const std::vector<float>>> floats;
    std::vector<std::shared_ptr<const std::vector<std::int64_t>>> integers;
    for (const auto &input : node.inputs) {
        if (first.isFloat())
            floats.push_back(input->constant->asFloats());
        else
            integers.push_back(std::make_shared<std::vector<std::int64_t>>(input->constant->asInts()));
    }
    SharedValues values = first.isFloat() ? join(floats) : join(integers);
    return one({dims, first.type, std::move(values), first.elementType});
}

Folded slice(const NodeFacts &node)
{
    const Constant &data = *node.constant(0);
    const auto ranges = sliceRanges(node, data.dims);
    if (!ranges)
        return std::nullopt;
    Dims dims;
    for (const SliceRange &range : *ranges)
        dims.push_back(range.count);
    const auto count = foldableCount(dims);
    if (!count)
        return std::nullopt;
    const Dims from = strides(data.dims);
    return one(picked(data, dims, indicesOver(dims, *count, [&](const Dims &at) {
                          std::int64_t index = 0;
                          for (std::size_t i = 0; i < at.size(); ++i)
                              index += ((*ranges)[i].start + at[i] * (*ranges)[i].step) * from[i];
                          return index;
                      })));
}

Folded transpose(const NodeFacts &node)
{
    const Constant &data = *node.constant(0);
    const auto shapes = inferShapes(node);
    if (!shapes || !*shapes || !(**shapes)[0].known || !foldableCount(data.dims))
        return std::nullopt;
    Dims order = node.integers("perm");
    if (order.empty()) {
        for (std::size_t i = data.dims.size(); i-- > 0;)
            order.push_back(static_cast<std::int64_t>(i));
    }
    const Dims from = strides(data.dims);
    const Dims &dims = (**shapes)[0].dims;
    return one(picked(data, dims, indicesOver(dims, *elementCount(dims), [&](const Dims &at) {
                          std::int64_t index = 0;
                          for (std::size_t i = 0; i < at.size(); ++i)
                              index += at[i] * from[static_cast<std::size_t>(order[i])];
                          return index;
                      })));
}

Folded expand(const NodeFacts &node)
{
    const auto dims = broadcastDims(node.constant(0)->dims, node.constant(1)->asInts());
    const auto indices = dims && foldableCount(*dims) ? broadcastIndices(node.constant(0)->dims, *dims) : std::nullopt;
    return indices ? one(picked(*node.constant(0), *dims, *indices)) : std::nullopt;
}

Folded split(const NodeFacts &node)
{
    const Constant &data = *node.constant(0);
    const auto shapes = inferShapes(node);
    const auto axis = axisWithin(node.integer("axis"), data.dims.size());
    if (!shapes || !*shapes || !axis)
        return std::nullopt;
    std::vector<Constant> parts;
    std::int64_t begin = 0;
    const Dims from = strides(data.dims);
    for (const Shape &shape : **shapes) {
        const auto count = shape.known ? foldableCount(shape.dims) : std::nullopt;
        if (!count)
            return std::nullopt;
        parts.push_back(picked(data, shape.dims, indicesOver(shape.dims, *count, [&](const Dims &at) {
                                   std::int64_t index = begin * from[*axis];
                                   for (std::size_t i = 0; i < at.size(); ++i)
                                       index += at[i] * from[i];
                                   return index;
                               })));
        begin += shape.dims[*axis];
    }
    return parts;
}

Folded reshape(const NodeFacts &node)
{
    const Constant &data = *node.constant(0);
    const auto dims = reshapedDims(node, data.dims);
    if (!dims || !*dims || elementCount(**dims) != static_cast<std::int64_t>(data.size()))
        return std::nullopt;
    return one(reshaped(data, **dims));
}

} // namespace fold_rules

namespace {

// Results have the type of what the rule reads; comparisons give truths.
void setElementTypes(const NodeFacts &node, ResultType result, std::vector<Constant> &constants)
{
    const std::size_t like = node.type == "Where" || node.type == "DequantizeLinear" ? 1 : 0;
    for (Constant &constant : constants) {
        if (result == ResultType::Truth)
            constant.elementType = kTruthElement;
        else if (constant.elementType == 0 && constant.isFloat() == node.constant(like)->isFloat())
            constant.elementType = node.constant(like)->elementType;
    }
}

// Whether the node has the same values in the same order, which are not copied.
bool sharesValues(const OperatorSchema &schema)
{
    return schema.type == "Identity" || schema.kind == OperatorKind::Reshape;
}

bool readsShapeOnly(const NodeFacts &node)
{
    return (node.type == "Shape" || node.type == "Size") && node.has(0) && node.shape(0).known;
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

std::optional<std::vector<std::int64_t>> broadcastIndices(const std::vector<std::int64_t> &from,
                                                          const std::vector<std::int64_t> &to)
{
    const auto count = elementCount(to);
    if (!count || from.size() > to.size())
        return std::nullopt;
    const Dims fromStrides = strides(from);
    const std::size_t offset = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != 1 && from[i] != to[i + offset])
            return std::nullopt;
    }
    return indicesOver(to, *count, [&](const Dims &at) {
        std::int64_t index = 0;
        for (std::size_t i = 0; i < from.size(); ++i)
            index += from[i] == 1 ? 0 : at[i + offset] * fromStrides[i];
        return index;
    });
}

std::optional<Constant> filled(const Constant &value, const std::vector<std::int64_t> &dims)
{
    const auto count = foldableCount(dims);
    if (!count)
        return std::nullopt;
    return picked(value, dims, std::vector<std::int64_t>(static_cast<std::size_t>(*count), 0));
}

std::optional<FoldEffort> foldEffort(const NodeFacts &node)
{
    if (readsShapeOnly(node))
        return FoldEffort{};
    const OperatorSchema *schema = schemaOf(node.type);
    if (!schema || !schema->fold || !hasConstants(node, *schema))
        return std::nullopt;
    if (sharesValues(*schema))
        return FoldEffort{};
    std::vector<Dims> results;
    if (node.type == "Range") {
        results.push_back({rangeLength(node).value_or(0)});
    } else if (const auto shapes = inferShapes(node); shapes && *shapes) {
        for (const Shape &shape : **shapes) {
            if (shape.known)
                results.push_back(shape.dims);
        }
    }
    FoldEffort effort;
    for (const Dims &dims : results) {
        const std::int64_t count = elementCount(dims).value_or(0); // no rule produces absurd sizes
        effort.made += count;
        effort.visited += count * static_cast<std::int64_t>(dims.size() + 1);
    }
    for (const auto &input : node.inputs)
        effort.visited += input ? static_cast<std::int64_t>(input->constant->size()) : 0;
    return effort;
}

std::optional<std::vector<Constant>> fold(const NodeFacts &node)
{
    if (readsShapeOnly(node))
        return node.type == "Shape" ? foldShape(node) : one(intConstant({}, {node.shape(0).elements()}));
    const OperatorSchema *schema = schemaOf(node.type);
    if (!schema || !schema->fold || !hasConstants(node, *schema))
        return std::nullopt;
    auto constants = schema->fold(node);
    if (constants)
        setElementTypes(node, schema->result, *constants);
    return constants;
}

} // namespace stagecraft
