#include "operators/node_facts.h"

#include "operators/generic_operands.h"
#include "operators/schema.h"

namespace stagecraft {
namespace {

const AttributeValue *valueOf(const NodeFacts &node, std::string_view key)
{
    const AttributeValue *given = find(node.attributes, key);
    return given ? given : attributeDefault(node.type, key);
}

} // namespace

std::int64_t NodeFacts::integer(std::string_view key) const
{
    const AttributeValue *value = valueOf(*this, key);
    return value ? asInteger(*value, 0) : 0;
}

float NodeFacts::real(std::string_view key) const
{
    const AttributeValue *value = valueOf(*this, key);
    return value ? asReal(*value, 0) : 0;
}

std::string NodeFacts::text(std::string_view key) const
{
    const AttributeValue *value = valueOf(*this, key);
    const auto *text = value ? std::get_if<std::string>(value) : nullptr;
    return text ? *text : std::string();
}

std::vector<std::int64_t> NodeFacts::integers(std::string_view key) const
{
    const AttributeValue *value = valueOf(*this, key);
    return value ? asIntegers(*value) : std::vector<std::int64_t>();
}

std::vector<float> NodeFacts::reals(std::string_view key) const
{
    const AttributeValue *value = valueOf(*this, key);
    return value ? asReals(*value) : std::vector<float>();
}

NodeFacts::Integers NodeFacts::integersFrom(std::string_view key, std::size_t input) const
{
    if (has(input)) {
        const Constant *given = constant(input);
        return {true, given ? std::optional(given->asInts()) : std::nullopt};
    }
    if (gives(key))
        return {true, integers(key)};
    return {};
}

NodeFacts nodeFacts(const Operator &op, std::span<const Shape> operandShapes)
{
    NodeFacts node;
    node.type = op.type;
    node.outputCount = std::max<std::size_t>(1, op.outputs.size());
    if (const auto *generic = std::get_if<GenericAttributes>(&op.attributes)) {
        node.attributes = generic->values;
        if (generic->opset != 0)
            node.opset = generic->opset;
        for (const std::int64_t place : generic->outputPlaces)
            node.outputCount = std::max(node.outputCount, static_cast<std::size_t>(place) + 1);
    }
    std::size_t next = 0;
    for (const auto &operand : generic::operandsOf(op)) {
        auto &input = node.inputs.emplace_back();
        if (!operand)
            continue;
        input.emplace();
        if (const Parameter *parameter = operand->constant) {
            input->shape = parameter->shape;
            input->type = parameter->type;
            if (parameter->values)
                input->constant =
                    std::make_shared<Constant>(Constant{parameter->shape.dims, parameter->type, parameter->values});
        } else {
            input->tensor = operand->tensor;
            input->shape = next < operandShapes.size() ? operandShapes[next] : Shape{{}, false};
            ++next;
        }
    }
    return node;
}

std::optional<std::size_t> axisWithin(std::int64_t axis, std::size_t rank)
{
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size)
        return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

} // namespace stagecraft
