#pragma once

// What is known about operators beyond their attributes, which are all given here.

#include "operators/operator.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] inline const std::string &displayType(const Operator &op)
{
    return op.type;
}

[[nodiscard]] inline const AttributeValue *attributeDefault(std::string_view, std::string_view)
{
    return nullptr;
}

[[nodiscard]] inline std::optional<std::string> unknownAttribute(const Operator &)
{
    return std::nullopt;
}

[[nodiscard]] inline std::string whyWithoutRule(const Operator &)
{
    return {};
}

} // namespace stagecraft
