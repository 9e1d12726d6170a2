#pragma once

// The attributes of ONNX's operators, of any opset, that the program honours or that change nothing here. A node with
// another one means something the program does not know: it is kept as it is and refused where it would be executed.

#include "graph/operator.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace stagecraft {

// The list for a type; nothing where there is none.
[[nodiscard]] std::optional<std::set<std::string_view>> knownAttributes(std::string_view type);

// True for every attribute of types the list does not have: nothing is known of them anyway.
[[nodiscard]] bool isKnownAttribute(std::string_view type, std::string_view attribute);

// The first unknown one of an operator that is kept as the model file has it.
[[nodiscard]] std::optional<std::string> unknownAttribute(const Operator &op);

} // namespace stagecraft
