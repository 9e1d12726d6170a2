#pragma once

// Loading compiled kernels. Toolkits before 12.8 reach this part of the driver (from 12.0 on) under its own names only.

#include <cuda_runtime_api.h>

#if CUDART_VERSION < 12080
#include <cuda.h>
#else
using CUlibrary = cudaLibrary_t;
#endif

namespace stagecraft::gpu {

// All three return what the runtime or the driver says, as a number; 0 is success.
[[nodiscard]] int loadKernels(CUlibrary &library, const void *code);
[[nodiscard]] int findKernel(cudaKernel_t &kernel, CUlibrary library, const char *name);
int unloadKernels(CUlibrary library);

} // namespace stagecraft::gpu
