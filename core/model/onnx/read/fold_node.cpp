#include "model/onnx/read/fold_node.h"

#include "operators/folding/fold.h"
#include "operators/schema.h"

#include <algorithm>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

using Folded = std::optional<std::vector<Constant>>;

Folded one(std::optional<Constant> constant)
{
    return constant ? Folded({std::move(*constant)}) : std::nullopt;
}

std::optional<Constant> decoded(const onnx::AttributeProto &value, const std::filesystem::path &folder)
{
    auto constant = decodeTensor(value.t(), folder);
    return constant ? std::optional(std::move(*constant)) : std::nullopt;
}

std::optional<Constant> constantOf(const OnnxNode &node, const std::filesystem::path &folder)
{
    if (const auto *value = node.attribute("value"))
        return decoded(*value, folder);
    if (const auto *value = node.attribute("value_int"))
        return intConstant({}, {value->i()});
    if (const auto *value = node.attribute("value_float"))
        return floatConstant({}, {value->f()});
    if (const auto *value = node.attribute("value_ints"))
        return intConstant({value->ints_size()}, {value->ints().begin(), value->ints().end()});
    if (const auto *value = node.attribute("value_floats"))
        return floatConstant({value->floats_size()}, {value->floats().begin(), value->floats().end()});
    return std::nullopt;
}

// The value that a ConstantOfShape repeats.
std::optional<Constant> repeatedValue(const OnnxNode &node, const std::filesystem::path &folder)
{
    const auto *given = node.attribute("value");
    auto value = given ? decoded(*given, folder) : floatConstant({1}, {0.0F});
    return value && value->size() == 1 ? std::move(value) : std::nullopt;
}

std::optional<Constant> constantOfShape(const OnnxNode &node, const std::filesystem::path &folder, FoldBudget &budget)
{
    if (!node.constant(0))
        return std::nullopt;
    const std::vector<std::int64_t> dims = node.constant(0)->asInts();
    const std::int64_t count = elementCount(dims).value_or(0);
    if (!budget.take(count, count * static_cast<std::int64_t>(dims.size() + 1) +
                                static_cast<std::int64_t>(node.constant(0)->size())))
        return std::nullopt;
    const auto value = repeatedValue(node, folder);
    if (!value)
        return std::nullopt;
    auto constant = filled(*value, dims);
    if (constant && constant->elementType == 0 && constant->isFloat() == node.constant(0)->isFloat())
        constant->elementType = node.constant(0)->elementType;
    return constant;
}

} // namespace

std::optional<std::vector<Constant>> foldNode(const OnnxNode &node, const std::filesystem::path &folder,
                                              FoldBudget &budget)
{
    if (node.type == "Constant") {
        auto constants = one(constantOf(node, folder));
        if (constants)
            budget.addOwn(static_cast<std::int64_t>(constants->front().size()));
        return constants;
    }
    if (node.type == "ConstantOfShape" && !unknownAttribute(node))
        return one(constantOfShape(node, folder, budget));
    const auto effort = foldEffort(node);
    return effort && budget.take(effort->made, effort->visited) ? fold(node) : std::nullopt;
}

void adoptRepeatedValue(OnnxNode &node, const std::filesystem::path &folder)
{
    auto value = repeatedValue(node, folder);
    if (!value || node.inputs.size() != 1)
        return;
    const auto constant = std::make_shared<const Constant>(std::move(*value));
    node.inputs.emplace_back(OperandFacts{{}, Shape{constant->dims}, constant->type, constant});
}

} // namespace stagecraft
