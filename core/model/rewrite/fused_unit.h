#pragma once

// Several operators as one schedule unit (OperatorKind::Fused).

#include "model/rewrite/graph_edit.h"

#include <span>

namespace stagecraft {

// `operators`: ascending; nothing else reads what they make, but for the last one, which makes what the unit makes, and
// all that they read from others is made before the last one. The unit has the name of `main`.
void formFusedUnit(GraphEdit &graph, std::span<const OperatorId> operators, OperatorId main);

} // namespace stagecraft
