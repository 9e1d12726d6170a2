#pragma once

// The kernels of gpu/kernels, compiled with this project.

#include "gpu/cuda/cuda_handles.h"
#include "gpu/plan/gpu_options.h"
#include "gpu/plan/kernel_launch.h"

#include <string>

namespace stagecraft::gpu {

class KernelLibrary {
public:
    // They are compiled for the architectures and the precision (fp32) of the build: both arguments are only checked.
    KernelLibrary(const std::string &architecture, Precision precision);

    void launch(const KernelLaunch &launch, cudaStream_t stream);
};

} // namespace stagecraft::gpu
