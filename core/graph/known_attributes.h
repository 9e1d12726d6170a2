#pragma once

// The attributes of ONNX operators, of any opset, that the program honours or can ignore. A node with any other
// attribute may mean something else: it is kept as it is, and refused if it would have to be executed.

#include "graph/operator.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace stagecraft {

// The known attributes of a type; empty if the type has no list.
[[nodiscard]] std::optional<std::set<std::string_view>> knownAttributes(std::string_view type);

// Also true for every attribute of a type without a list: nothing is known about those anyway.
[[nodiscard]] bool isKnownAttribute(std::string_view type, std::string_view attribute);

// The first unknown attribute of an operator that is kept as in the model file.
[[nodiscard]] std::optional<std::string> unknownAttribute(const Operator &op);

} // namespace stagecraft
