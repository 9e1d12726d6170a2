#pragma once

// What the activations that exporters write out as arithmetic have in common. Operators that are kept apart are no part
// of one.

#include "model/rewrite/graph_edit.h"

namespace stagecraft {

// Whether the operator combines one tensor with this number, as its second operand or, if order does not matter,
// either. A number with more axes than the tensor would add its axes.
[[nodiscard]] bool combinesNumber(const GraphEdit &graph, OperatorId id, const char *type, float number);

// Whether it is a * b or b * a.
[[nodiscard]] bool multiplies(const GraphEdit &graph, OperatorId id, TensorId a, TensorId b);

void becomeActivation(GraphEdit &graph, OperatorId id, TensorId input, const Activation &activation);

} // namespace stagecraft
