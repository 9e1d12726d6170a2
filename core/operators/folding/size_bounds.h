#pragma once

// Sizes that are known only while a graph runs: how many values a NonZero finds, and what is computed from that. Their
// largest values follow from the graph, and from those the largest shapes.

#include "operators/node_facts.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stagecraft {

// The places of operands of a type whose values decide how large its outputs are.
[[nodiscard]] std::span<const std::size_t> sizeOperands(std::string_view type);
// Whether one of them is computed.
[[nodiscard]] bool hasComputedSizes(const NodeFacts &node);
// The node with constants for them that make its outputs as large as they can be; empty if that is not known.
[[nodiscard]] std::optional<NodeFacts> atItsLargest(const NodeFacts &node);

// The largest values of what a node with one output computes from sizes; null if it is none, or they are not known.
[[nodiscard]] std::shared_ptr<const Constant> largestValues(const NodeFacts &node);

} // namespace stagecraft
