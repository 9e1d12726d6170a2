#pragma once

// A device that executes the GPU's plans on the host: the same tasks, memory and launches, with our own kernels
// compiled for the host, including convolutions. It tests everything in the execution except CUDA and cuDNN. Not for
// timing.

#include "device/device.h"
#include "gpu/plan/program_plan.h"

#include <memory>
#include <span>

namespace stagecraft::test {

// STAGECRAFT_HALF: computes in half precision, as the options then say.
[[nodiscard]] gpu::GpuOptions hostOptions(gpu::TensorLayout layout);

// Outputs of the graph. Memory is filled with NaN first; every convolution gets a workspace and overwrites it with NaN.
[[nodiscard]] Result<std::vector<HostTensor>> runOnHost(const std::shared_ptr<const Graph> &graph,
                                                        std::span<const Stage> stages, const gpu::GpuOptions &options,
                                                        const std::vector<HostTensor> &inputs);

} // namespace stagecraft::test
