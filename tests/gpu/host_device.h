#pragma once

// A device that executes the GPU's plans on the host: the same tasks, memory and launches, with our own kernels
// compiled for the host, including convolutions. It tests everything in the execution except CUDA and cuDNN. Not for
// timing.

#include "device/device.h"
#include "gpu/plan/program_plan.h"
#include "gpu/plan/tuned_conv.h"

#include <memory>
#include <optional>
#include <span>

namespace stagecraft::test {

// STAGECRAFT_HALF: computes in half precision, as the options then say.
[[nodiscard]] gpu::GpuOptions hostOptions(gpu::TensorLayout layout);

// Chooses kernels for convolutions as the GPU does: those that are remembered, else the fastest few, timed alone.
struct HostTuner {
    gpu::ConvMemory &memory;
    int tuned = 0; // convolutions that were timed
};

// Outputs of the graph. Memory is filled with NaN first; every convolution gets a workspace and overwrites it with NaN.
// Without a tuner the kernels for convolutions take turns, so that all of them are tested. `seed`: of the order among
// streams, which then only wait where the plan says so; empty: the order of submission.
[[nodiscard]] Result<std::vector<HostTensor>> runOnHost(const std::shared_ptr<const Graph> &graph,
                                                        const Schedule &schedule, const gpu::GpuOptions &options,
                                                        const std::vector<HostTensor> &inputs,
                                                        HostTuner *tuner = nullptr, std::optional<unsigned> seed = {});

} // namespace stagecraft::test
