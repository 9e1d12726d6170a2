#pragma once

// Forms schedule units from the operators of a model file, by the passes of rewrite/pass.h. A unit is named after its
// convolution (the pointwise one of a SepConv) or, without one, after the operator that makes its output.

#include "graph/graph.h"
#include "rewrite/pass.h"
#include "support/result.h"

#include <set>
#include <string>
#include <vector>

namespace stagecraft {

struct FormedUnits {
    Graph graph;
    std::vector<PassReport> reports; // of the passes that ran, in their order
};

// Operators named in `keptApart` stay units of their own, as the model file asks.
[[nodiscard]] Result<FormedUnits> formUnits(Graph graph, const std::set<std::string> &keptApart = {},
                                            const RewriteOptions &options = {});

} // namespace stagecraft
