#include "graph/generic_operands.h"

#include "graph/parameter_roles.h"
#include "graph/parameter_values.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft::generic {
namespace {

const std::string *attribute(const Operator &op, std::string_view name)
{
    const auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    if (!generic)
        return nullptr;
    const auto found = std::ranges::find(generic->values, name, &std::pair<std::string, std::string>::first);
    return found == generic->values.end() ? nullptr : &found->second;
}

} // namespace

std::vector<std::int64_t> Operand::dims(const Graph &graph) const
{
    return constant ? constant->shape.dims : graph.tensor(tensor).shape.dims;
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
    std::size_t place = 0;
    for (const auto &part : op.inputs) {
        for (const TensorId tensor : part) {
            while (at(place))
                ++place;
            at(place) = Operand{tensor, nullptr};
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

bool isComputed(const Operator &op, std::size_t place)
{
    const auto operands = operandsOf(op);
    return place < operands.size() && operands[place] && operands[place]->tensor.isValid();
}

std::int64_t integer(const Operator &op, std::string_view name, std::int64_t fallback)
{
    const std::string *found = attribute(op, name);
    return found ? std::atoll(found->c_str()) : fallback;
}

float real(const Operator &op, std::string_view name, float fallback)
{
    const std::string *found = attribute(op, name);
    return found ? std::strtof(found->c_str(), nullptr) : fallback;
}

std::string text(const Operator &op, std::string_view name, const std::string &fallback)
{
    const std::string *found = attribute(op, name);
    return found ? *found : fallback;
}

std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name)
{
    const std::string *found = attribute(op, name);
    if (!found)
        return std::nullopt;
    std::vector<std::int64_t> values;
    for (const char *at = found->c_str(); *at;) {
        char *end = nullptr;
        const long long value = std::strtoll(at, &end, 10);
        if (end != at)
            values.push_back(value);
        at = end == at ? at + 1 : end;
    }
    return values;
}

std::optional<std::vector<std::int64_t>> integers(const Operator &op, std::string_view name, std::size_t place)
{
    if (const auto values = constantAt(op, place))
        return std::vector<std::int64_t>(values->begin(), values->end());
    return integers(op, name);
}

std::size_t axisIn(std::int64_t axis, std::size_t rank)
{
    const auto size = static_cast<std::int64_t>(rank);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(axis < 0 ? axis + size : axis, 0, size - 1));
}

} // namespace stagecraft::generic
