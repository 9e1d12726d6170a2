#pragma once

// Kernels that no name binds, bound by what they compute and the order in which they were launched: the n-th
// convolution of a shape in a run is the n-th of the graph with that shape, as long as there are as many of them.

#include "device/recorded/profiles/profile.h"
#include "flow/profile/node_names.h"
#include "graph/graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

using KernelMappings = std::vector<std::optional<NamedOperators>>; // by kernel; empty: mapped to nothing

// Operators that take a kernel of their own: fewer kernels than these are no run of the graph.
[[nodiscard]] std::size_t heavyOperators(const Graph &graph);

// Completes the mappings of the kernels of one run.
void mapByOrder(const Graph &graph, const Profile &profile, std::span<const std::uint32_t> run,
                KernelMappings &mappings);

} // namespace stagecraft
