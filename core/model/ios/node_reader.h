#pragma once

// Reads one node of the IOS JSON format as an operator without shapes and parameters, since those depend on the rest of
// the graph. Errors say what is wrong with the node and what the format allows; the caller adds the node's name.

#include "model/ios/json_fields.h"

namespace stagecraft::ios {

// Reads every type except "sequential".
[[nodiscard]] Result<Operator> readOperator(const Json &node, const std::string &name, const std::string &type,
                                            InputExpression inputs);

// Combines the steps of a "sequential" node into one schedule unit: Relu-Conv or Relu-SepConv.
[[nodiscard]] Result<Operator> formUnit(const std::vector<Operator> &chain, const std::string &name);

} // namespace stagecraft::ios
