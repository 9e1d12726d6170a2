#include "operators/values/shared_values.h"

#include "operators/values/narrow_floats.h"

namespace stagecraft {

Half::operator float() const
{
    return halfToFloat(bits);
}

std::size_t count(const ConstantValues &values)
{
    return std::visit([](const auto &items) { return items.size(); }, values);
}

bool areReal(const ConstantValues &values)
{
    return std::holds_alternative<std::vector<float>>(values) || std::holds_alternative<std::vector<Half>>(values) ||
           std::holds_alternative<std::vector<double>>(values);
}

} // namespace stagecraft
