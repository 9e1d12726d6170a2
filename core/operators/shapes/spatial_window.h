#pragma once

// The window of a convolution or pool as the nodes of model files state it.

#include "operators/node_facts.h"
#include "support/result.h"

#include <vector>

namespace stagecraft {

// Over any number of spatial dimensions, with automatic padding resolved.
struct SpatialWindow {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> stride;
    std::vector<std::int64_t> dilation;
    std::vector<std::int64_t> padding; // all at the begin, then all at the end
};
[[nodiscard]] Result<SpatialWindow> spatialWindow(const NodeFacts &node, const std::vector<std::int64_t> &kernel,
                                                  const std::vector<std::int64_t> &inputDims);

} // namespace stagecraft
