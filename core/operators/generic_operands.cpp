#include "operators/generic_operands.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft::generic {
namespace {

const AttributeValue *attribute(const Operator &op, std::string_view name)
{
    const auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    const AttributeValue *given = generic ? find(generic->values, name) : nullptr;
    return given ? given : attributeDefault(op.type, name);
}

} // namespace

std::vector<std::int64_t> Operand::dims(std::span<const Tensor> tensors) const
{
    return constant ? constant->shape.dims : tensors[tensor.index()].shape.dims;
}

std::vector<std::optional<Operand>> operandsOf(const Operator &op)
{
    std::vector<std::optional<Operand>> operands;
    const auto at = [&](std::size_t place) -> std::optional<Operand> & {
        if (operands.size() <= place)
            operands.resize(place + 1);
        return operands[place];
    };
    for (const Parameter &parameter : op.parameters) {
        constexpr std::string_view kPrefix = "operand";
        if (parameter.role.starts_with(kPrefix))
            at(static_cast<std::size_t>(std::atoi(parameter.role.c_str() + kPrefix.size()))) = Operand{{}, &parameter};
    }
    const auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    std::size_t place = 0;
    std::size_t next = 0;
    for (const auto &part : op.inputs) {
        for (const TensorId tensor : part) {
            if (generic && next < generic->inputPlaces.size())
                place = static_cast<std::size_t>(generic->inputPlaces[next]);
            while (at(place))
                ++place;
            at(place) = Operand{tensor, nullptr};
            ++next;
        }
    }
    return operands;
}

std::optional<std::vector<float>> constantAt(const Operator &op, std::size_t place)
{
    const Parameter *parameter = op.parameter(role::operand(place));
    if (!parameter)
        return std::nullopt;
    return *parameterValues(*parameter);
}

std::optional<std::vector<std::int64_t>> integersAt(const Operator &op, std::size_t place)
{
    const Parameter *parameter = op.parameter(role::operand(place));
    if (!parameter || !parameter->values)
        return std::nullopt;
    return integersOf(*parameter->values);
}

bool isComputed(const Operator &op, std::size_t place)
{
    const auto operands = operandsOf(op);
    return place < operands.size() && operands[place] && operands[place]->tensor.isValid();
}

std::int64_t integer(const Operator &op, std::string_view name)
{
    const AttributeValue *value = attribute(op, name);
    return value ? asInteger(*value, 0) : 0;
}

float real(const Operator &op, std::string_view name)
{
    const AttributeValue *value = attribute(op, name);
    return value ? asReal(*value, 0) : 0;
}

std::string text(const Operator &op, std::string_view name)
{
    const AttributeValue *value = attribute(op, name);
    const auto *held = value ? std::get_if<std::string>(value) : nullptr;
    return held ? *held : std::string();
}

std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name)
{
    const AttributeValue *value = attribute(op, name);
    return value ? std::optional(asIntegers(*value)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name, std::size_t place)
{
    auto values = integersAt(op, place);
    return values ? values : integers(op, name);
}

std::size_t axisIn(std::int64_t axis, std::size_t rank)
{
    const auto size = static_cast<std::int64_t>(rank);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(axis < 0 ? axis + size : axis, 0, size - 1));
}

} // namespace stagecraft::generic
