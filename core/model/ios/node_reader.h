#pragma once

// One node of the IOS JSON format as an operator without shapes and parameters: those need the graph around it.
// Errors say what is wrong with the node and what the format has instead; the caller adds the node's name.

#include "model/ios/json_fields.h"

namespace stagecraft::ios {

// Every type but "sequential".
[[nodiscard]] Result<Operator> readOperator(const Json &node, const std::string &name, const std::string &type,
                                            InputExpression inputs);

// The steps of a "sequential" node as one schedule unit: Relu-Conv, or Relu-SepConv.
[[nodiscard]] Result<Operator> formUnit(const std::vector<Operator> &chain, const std::string &name);

} // namespace stagecraft::ios
