#include "model/generator.h"

#include "support/closest_name.h"
#include "support/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace stagecraft {

GeneratorValues::GeneratorValues(std::span<const GeneratorParameter> parameters) : m_parameters(parameters)
{
    std::ranges::transform(parameters, std::back_inserter(m_values), &GeneratorParameter::usual);
}

std::int64_t GeneratorValues::operator[](std::string_view name) const
{
    const auto found = std::ranges::find(m_parameters, name, &GeneratorParameter::name);
    return m_values[static_cast<std::size_t>(found - m_parameters.begin())];
}

Result<void> GeneratorValues::set(std::string_view name, std::int64_t value)
{
    const auto found = std::ranges::find(m_parameters, name, &GeneratorParameter::name);
    if (found == m_parameters.end()) {
        std::vector<std::string> names;
        std::ranges::transform(m_parameters, std::back_inserter(names),
                               [](const GeneratorParameter &each) { return std::string(each.name); });
        return fail(ErrorCode::WrongUse, fmt::format("there is no parameter {}", name),
                    didYouMean(name, names) + "The parameters are " + parametersText(m_parameters));
    }
    if (value < found->least || value > found->most)
        return fail(ErrorCode::WrongUse, fmt::format("{}={} is out of range", name, value),
                    "The parameters are " + parametersText(m_parameters));
    m_values[static_cast<std::size_t>(found - m_parameters.begin())] = value;
    return {};
}

std::string GeneratorValues::text() const
{
    std::string text;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        if (m_values[i] != m_parameters[i].usual)
            text += fmt::format("{}{}={}", text.empty() ? "" : ",", m_parameters[i].name, m_values[i]);
    }
    return text;
}

std::string parametersText(std::span<const GeneratorParameter> parameters)
{
    std::string text;
    for (const GeneratorParameter &each : parameters)
        text += fmt::format("{}{} ({} to {}, {} unless told)", text.empty() ? "" : ", ", each.name, grouped(each.least),
                            grouped(each.most), grouped(each.usual));
    return text;
}

} // namespace stagecraft
