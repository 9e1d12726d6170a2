#pragma once

// Operators that only give planes (channels of images) another order: channel shuffles, slices and splits of channels,
// joins of them. A chain of them is one copy at its end: what lies between is not written (plan::Planes), and who needs
// the values takes each plane from where it was computed.

#include "graph/graph.h"
#include "plan/tensors.h"

#include <optional>
#include <vector>

namespace stagecraft::cpu {

// By TensorId: of the graph alone, so that a stage costs the same in every schedule. A tensor is not held if all its
// readers take planes, and if it is neither an output of the graph nor of a stated layout. Empty: all are held.
[[nodiscard]] std::vector<plan::Planes> findPlanes(const Graph &graph);

// The planes of a held output of an operator that copies planes; empty: it has a kernel of another kind.
[[nodiscard]] std::optional<std::vector<plan::Plane>>
copiedPlanes(const Graph &graph, const std::vector<plan::Planes> &planes, const Operator &op, std::size_t output);

} // namespace stagecraft::cpu
