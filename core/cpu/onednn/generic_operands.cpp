#include "cpu/onednn/generic_operands.h"

#include "graph/parameter_roles.h"
#include "graph/parameter_values.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft::cpu {
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

Dims Operand::dims(const Graph &graph) const
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

std::string text(const Operator &op, std::string_view name, std::string fallback)
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

Place plainOperand(Emitter &emitter, const Operator &, const Operand &operand)
{
    if (operand.tensor.isValid()) {
        const Place &place = emitter.place(operand.tensor);
        return emitter.inLayout(place, plainDesc(place.desc.dims()));
    }
    // A host kernel reads places in the arena: the constant is copied there first.
    const Place place = emitter.scratch(plainDesc(dimsOf(operand.constant->shape)));
    emitter.host([values = parameterValues(*operand.constant)](
                     std::span<float *const> pointers) { std::ranges::copy(*values, pointers[0]); },
                 {place});
    return place;
}

void emitPlain(Emitter &emitter, const Operator &op, const std::vector<Place> &operands, std::size_t index,
               std::function<void(std::span<const float *const>, float *)> kernel)
{
    const Place &to = emitter.place(op.outputs[index]);
    const Desc plain = plainDesc(to.desc.dims());
    const bool direct = to.desc == plain;
    const Place result = direct ? to : emitter.scratch(plain);
    std::vector<Place> places = operands;
    places.push_back(result);
    emitter.host(
        [kernel = std::move(kernel)](std::span<float *const> pointers) {
            const std::vector<const float *> from(pointers.begin(), pointers.end() - 1);
            kernel(from, pointers.back());
        },
        places);
    if (!direct)
        emitter.copy(result, to);
}

} // namespace stagecraft::cpu
