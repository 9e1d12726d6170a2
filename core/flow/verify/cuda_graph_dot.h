#pragma once

// CUDA graphs as cudaGraphDebugDotPrint writes them (the format of Graphviz, CUDA 11.3 and later): nodes and the edges
// between them. Source: files that CUDA 12 wrote; labels differ with the flags.

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

struct CudaGraphNode {
    std::string name;   // of the file: "graph_1_node_0"
    std::string kernel; // its function; empty: no kernel
};

struct CudaGraphFile {
    std::vector<CudaGraphNode> nodes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges; // nodes; the first has ended before the second begins
};

// Whether it says to be one; it may be damaged.
[[nodiscard]] bool isCudaGraphDot(std::string_view text);

// Refuses text that is cut short, a graph without nodes, edges of nodes that are not there, and child graphs.
[[nodiscard]] Result<CudaGraphFile> cudaGraphFromDot(std::string_view text);

} // namespace stagecraft
