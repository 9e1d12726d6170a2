#include "model/onnx/fold/fold_constants.h"

#include "model/onnx/fold/fold_rules.h"
#include "model/onnx/shapes/shapes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <onnx/onnx_pb.h>
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

// Rearranges `constant`: element i of the result is element indices[i].
Constant picked(const Constant &constant, Dims dims, const std::vector<std::int64_t> &indices)
{
    Constant result{std::move(dims), constant.type, nullptr, nullptr, constant.elementType};
    const auto pick = [&](const auto &from) {
        auto values = std::make_shared<std::remove_cvref_t<decltype(from)>>(indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i)
            (*values)[i] = from[static_cast<std::size_t>(indices[i])];
        return values;
    };
    if (constant.floats)
        result.floats = pick(*constant.floats);
    else
        result.ints = pick(*constant.ints);
    return result;
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

Folded foldConstantNode(const OnnxNode &node, const std::filesystem::path &folder)
{
    if (const auto *value = node.attribute("value")) {
        auto decoded = decodeTensor(value->t(), folder);
        return decoded ? one(std::move(*decoded)) : std::nullopt;
    }
    if (const auto *value = node.attribute("value_int"))
        return one(intConstant({}, {value->i()}));
    if (const auto *value = node.attribute("value_float"))
        return one(floatConstant({}, {value->f()}));
    if (const auto *value = node.attribute("value_ints"))
        return one(intConstant({value->ints_size()}, {value->ints().begin(), value->ints().end()}));
    if (const auto *value = node.attribute("value_floats"))
        return one(floatConstant({value->floats_size()}, {value->floats().begin(), value->floats().end()}));
    return std::nullopt;
}

Folded foldConstantOfShape(const OnnxNode &node, const std::filesystem::path &folder)
{
    const Dims dims = node.constant(0)->asInts();
    const auto count = foldableCount(dims);
    if (!count)
        return std::nullopt;
    Constant value = floatConstant({1}, {0.0F});
    if (const auto *given = node.attribute("value")) {
        auto decoded = decodeTensor(given->t(), folder);
        if (!decoded || decoded->size() != 1)
            return std::nullopt;
        value = std::move(*decoded);
    }
    return one(picked(value, dims, std::vector<std::int64_t>(static_cast<std::size_t>(*count), 0)));
}

Folded foldShape(const OnnxNode &node)
{
    if (!node.has(0) || !node.shape(0).known)
        return std::nullopt;
    const Dims &dims = node.shape(0).dims;
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto clamped = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t start = clamped(node.integer("start", 0));
    const std::int64_t end = std::max(start, clamped(node.integer("end", rank)));
    return one(intConstant({end - start}, {dims.begin() + start, dims.begin() + end}));
}

Folded foldGather(const OnnxNode &node)
{
    const Constant &data = *node.constant(0);
    const Constant &where = *node.constant(1);
    const auto axis = axisWithin(node.integer("axis", 0), data.dims.size());
    if (!axis || !where.ints)
        return std::nullopt;
    Dims dims(data.dims.begin(), data.dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    dims.insert(dims.end(), where.dims.begin(), where.dims.end());
    dims.insert(dims.end(), data.dims.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data.dims.end());
    const auto count = foldableCount(dims);
    const std::int64_t size = data.dims[*axis];
    const auto outside = [&](std::int64_t i) { return i < -size || i >= size; };
    if (!count || std::ranges::any_of(*where.ints, outside))
        return std::nullopt;
    const Dims dataStrides = strides(data.dims);
    const Dims whereStrides = strides(where.dims);
    const std::size_t rank = where.dims.size();
    return one(picked(data, dims, indicesOver(dims, *count, [&](const Dims &at) {
                          std::int64_t position = 0;
                          for (std::size_t i = 0; i < rank; ++i)
                              position += at[*axis + i] * whereStrides[i];
                          const std::int64_t chosen = (*where.ints)[static_cast<std::size_t>(position)];
                          std::int64_t index = (chosen < 0 ? chosen + size : chosen) * dataStrides[*axis];
                          for (std::size_t i = 0; i < data.dims.size(); ++i) {
                              if (i != *axis)
                                  index += at[i < *axis ? i : i + rank - 1] * dataStrides[i];
                          }
                          return index;
                      })));
}

Folded foldConcat(const OnnxNode &node)
{
    const Constant &first = *node.constant(0);
    const auto axis = axisWithin(node.integer("axis", node.opset < 4 ? 1 : 0), first.dims.size());
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
    Constant result{dims, first.type, nullptr, nullptr, first.elementType};
    const auto join = [&](auto member) {
        auto values = std::make_shared<std::remove_cvref_t<decltype(*(first.*member))>>();
        values->reserve(static_cast<std::size_t>(*count));
        for (std::int64_t row = 0; row < outer; ++row) {
            for (std::size_t i = 0; i < node.inputs.size(); ++i) {
                const auto &from = *(node.constant(i)->*member);
                const auto length = static_cast<std::ptrdiff_t>(from.size()) / std::max<std::int64_t>(outer, 1);
                values->insert(values->end(), from.begin() + row * length, from.begin() + (row + 1) * length);
            }
        }
        return values;
    };
    if (first.isFloat()) {
        result.floats = join(&Constant::floats);
    } else {
        result.ints = join(&Constant::ints);
    }
    return one(std::move(result));
}

Folded foldSlice(const OnnxNode &node)
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

Folded foldTranspose(const OnnxNode &node)
{
    const Constant &data = *node.constant(0);
    const auto shapes = outputShapes(node);
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

Folded foldExpand(const OnnxNode &node)
{
    const auto dims = broadcastDims(node.constant(0)->dims, node.constant(1)->asInts());
    const auto indices = dims && foldableCount(*dims) ? broadcastIndices(node.constant(0)->dims, *dims) : std::nullopt;
    return indices ? one(picked(*node.constant(0), *dims, *indices)) : std::nullopt;
}

Folded foldSplit(const OnnxNode &node)
{
    const Constant &data = *node.constant(0);
    const auto shapes = outputShapes(node);
    const auto axis = axisWithin(node.integer("axis", 0), data.dims.size());
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

Folded foldReshape(const OnnxNode &node)
{
    const Constant &data = *node.constant(0);
    const auto dims = reshapedDims(node, data.dims);
    if (!dims || !*dims || elementCount(**dims) != static_cast<std::int64_t>(data.size()))
        return std::nullopt;
    return one(reshaped(data, **dims));
}

using FoldRule = std::function<Folded(const OnnxNode &)>;

const std::map<std::string, FoldRule> &foldRules()
{
    static const std::map<std::string, FoldRule> table{
        {"Identity", [](const OnnxNode &node) { return one(*node.constant(0)); }},
        {"Gather", foldGather},
        {"Concat", foldConcat},
        {"Slice", foldSlice},
        {"Transpose", foldTranspose},
        {"Expand", foldExpand},
        {"Cast", foldCast},
        {"Range", foldRange},
        {"Where", foldWhere},
        {"Split", foldSplit},
        {"Reshape", foldReshape},
        {"Flatten", foldReshape},
        {"Squeeze", foldReshape},
        {"Unsqueeze", foldReshape},
        {"ReduceProd", foldReduce},
        {"ReduceSum", foldReduce},
        {"ReduceMin", foldReduce},
        {"ReduceMax", foldReduce},
        {"DequantizeLinear", foldDequantize},
        {"Add", foldBinary},
        {"Sub", foldBinary},
        {"Mul", foldBinary},
        {"Div", foldBinary},
        {"Mod", foldBinary},
        {"Pow", foldBinary},
        {"Min", foldBinary},
        {"Max", foldBinary},
        {"Equal", foldBinary},
        {"Greater", foldBinary},
        {"GreaterOrEqual", foldBinary},
        {"Less", foldBinary},
        {"LessOrEqual", foldBinary},
        {"And", foldBinary},
        {"Or", foldBinary},
        {"Not", foldUnary},
        {"Neg", foldUnary},
        {"Abs", foldUnary},
        {"Sqrt", foldUnary},
        {"Floor", foldUnary},
        {"Ceil", foldUnary},
        {"Exp", foldUnary},
        {"Log", foldUnary},
        {"Reciprocal", foldUnary},
    };
    return table;
}

// Results have the type of what the rule reads; comparisons give booleans.
void setElementTypes(const OnnxNode &node, std::vector<Constant> &constants)
{
    static const std::set<std::string> truths{"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And",
                                              "Or",    "Not"};
    const std::size_t like = node.type == "Where" || node.type == "DequantizeLinear" ? 1 : 0;
    for (Constant &constant : constants) {
        if (truths.contains(node.type))
            constant.elementType = onnx::TensorProto::BOOL;
        else if (constant.elementType == 0 && constant.isFloat() == node.constant(like)->isFloat())
            constant.elementType = node.constant(like)->elementType;
    }
}

// How many inputs a rule reads without a check.
std::size_t neededInputs(const std::string &type)
{
    if (type == "Gather" || type == "Expand" || type == "DequantizeLinear")
        return 2;
    return type == "Where" || type == "Range" ? 3 : 1;
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

std::optional<std::vector<Constant>> foldConstants(const OnnxNode &node, const std::filesystem::path &folder,
                                                   FoldBudget &budget)
{
    if (node.type == "Constant") {
        auto constants = foldConstantNode(node, folder);
        if (constants)
            budget.addOwn(static_cast<std::int64_t>(constants->front().size()));
        return constants;
    }
    if (node.type == "Shape")
        return foldShape(node);
    if (node.type == "Size" && node.has(0) && node.shape(0).known)
        return one(intConstant({}, {node.shape(0).elements()}));
    for (const auto &input : node.inputs) {
        if (input && !input->constant)
            return std::nullopt;
    }
    for (std::size_t i = 0; i < neededInputs(node.type); ++i) {
        if (!node.constant(i))
            return std::nullopt;
    }
    if (node.type == "Concat" && std::ranges::any_of(node.inputs, [](const auto &input) { return !input; }))
        return std::nullopt;
    const auto rule = foldRules().find(node.type);
    const bool fills = node.type == "ConstantOfShape";
    if ((rule == foldRules().end() && !fills) || !takeFor(node, budget))
        return std::nullopt;
    auto constants = fills ? foldConstantOfShape(node, folder) : rule->second(node);
    if (constants)
        setElementTypes(node, *constants);
    return constants;
}

} // namespace stagecraft
