#include "operators/composed/composer.h"

#include <algorithm>

namespace stagecraft::composed {

Source operand(std::size_t place)
{
    return {Source::Kind::Operand, place, 0, {}};
}

Source constant(Constant value)
{
    return {Source::Kind::Constant, 0, 0, std::make_shared<const Constant>(std::move(value))};
}

Source whole(std::vector<std::int64_t> values)
{
    const auto count = static_cast<std::int64_t>(values.size());
    return constant(intConstant({count}, std::move(values)));
}

Source Composer::step(std::string type, std::vector<Source> inputs, std::vector<NamedAttribute> attributes)
{
    m_made.steps.push_back({std::move(type), std::move(inputs), std::move(attributes), 1});
    return {Source::Kind::Step, m_made.steps.size() - 1, 0, {}};
}

Source Composer::number(float value) const
{
    Constant held = floatConstant({}, {value});
    if (m_node.has(0) && m_node.inputs[0]->type == DataType::Float64)
        held.type = DataType::Float64;
    return constant(std::move(held));
}

Source Composer::dequantized(std::size_t place, std::int64_t axis)
{
    return step("DequantizeLinear", {operand(place), operand(place + 1), operand(place + 2)}, {{"axis", axis}});
}

Source Composer::quantized(Source value, std::size_t scale)
{
    return step("QuantizeLinear", {std::move(value), operand(scale), operand(scale + 1)});
}

std::vector<NamedAttribute> Composer::taken(std::initializer_list<std::string_view> names) const
{
    std::vector<NamedAttribute> found;
    for (const NamedAttribute &attribute : m_node.attributes) {
        if (std::ranges::count(names, attribute.first) > 0)
            found.push_back(attribute);
    }
    return found;
}

Steps Composer::made(std::vector<std::optional<Source>> results)
{
    m_made.results = std::move(results);
    m_made.results.resize(std::max(m_made.results.size(), m_node.outputCount));
    return std::move(m_made);
}

} // namespace stagecraft::composed
