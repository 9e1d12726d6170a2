#pragma once

// How many places of an image a RoiAlign reads: where the node does not say it, that follows from its regions.

#include "operators/kernels/kernel.h"

namespace stagecraft::kernels {

// Of all regions, for one channel; `rois` has four edges each.
[[nodiscard]] double samplesOfRegions(const NodeFacts &node, const TensorView &rois);

} // namespace stagecraft::kernels
