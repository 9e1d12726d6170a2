#pragma once

// Forms schedule units out of the operators of a model file, as the IOS paper schedules them:
//   batch norm, and scaling or shifting by constants, folds into the convolution or matrix product before it;
//   zeros around an image become padding of the convolution behind them;
//   Relu-DepthwiseConv-PointwiseConv becomes Relu-SepConv; an activation fuses into the convolution before it, or,
//   where there is none, into the one behind it (Relu-Conv); x * sigmoid(x) becomes one activation; sums and concats
//   that only a concat or a separable convolution reads become part of its input expression; what nobody needs is
//   removed.
// Results stay the same up to rounding. A unit is named after its convolution (the pointwise one of a SepConv).

#include "graph/graph.h"
#include "support/result.h"

#include <set>
#include <string>

namespace stagecraft {

// Operators named in `keptApart` are not taken into others (the model file says that they are units of their own).
[[nodiscard]] Result<Graph> formUnits(Graph graph, const std::set<std::string> &keptApart = {});

} // namespace stagecraft
