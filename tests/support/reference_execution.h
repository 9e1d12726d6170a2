#pragma once

// Every operator by its definition, one number at a time: the reference for executing devices.

#include "device/device.h"

namespace stagecraft {

// All tensors of the graph, by TensorId. Covers convolutions, pools, joins, activations, batch norm, matrix products.
[[nodiscard]] std::vector<std::vector<float>> referenceTensors(const Graph &graph,
                                                               const std::vector<HostTensor> &inputs);

// Uniform in [-1, 1), the same for the same seed.
[[nodiscard]] std::vector<HostTensor> randomInputs(const Graph &graph, unsigned seed);

// The largest difference, relative to the largest magnitude in `expected`.
[[nodiscard]] double relativeDifference(const std::vector<float> &values, const std::vector<float> &expected);

} // namespace stagecraft
