#pragma once

// Forms schedule units from the operators of a model file, as in the IOS paper:
//   batch norm, and scaling or shifting by constants, folds into the convolution or matrix product before it;
//   zeros around an image become padding of the convolution after them;
//   Relu-DepthwiseConv-PointwiseConv becomes Relu-SepConv; an activation fuses into the convolution before it, or,
//   without one, into the convolution after it (Relu-Conv); x * sigmoid(x) becomes one activation; sums and concats
//   that only a concat or a separable convolution reads become part of its input expression; what is not needed is
//   removed.
// Results stay the same up to rounding. A unit is named after its convolution (the pointwise one of a SepConv).

#include "graph/graph.h"
#include "support/result.h"

#include <set>
#include <string>

namespace stagecraft {

// Operators named in `keptApart` stay units of their own, as the model file asks.
[[nodiscard]] Result<Graph> formUnits(Graph graph, const std::set<std::string> &keptApart = {});

} // namespace stagecraft
