#pragma once

// Our own kernels, compiled at run time by NVRTC for the present GPU, so that nothing has to be built in advance.
// Compiling needs no GPU; the result is stored in files.

#include "gpu/cuda/cuda_handles.h"
#include "gpu/plan/kernel_launch.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stagecraft::gpu {

// All kernels for one precision, as machine code. `architecture`: "sm_90". For a GPU newer than this NVRTC: PTX for the
// newest one it knows, which the driver compiles when it is loaded. Throws Failure with the compiler's message.
[[nodiscard]] std::vector<char> compileKernels(const std::string &architecture, Precision precision);

// The file of that code: its name depends on architecture, precision, kernel sources and NVRTC's version. Throws
// Failure.
[[nodiscard]] std::filesystem::path kernelFile(const std::filesystem::path &folder, const std::string &architecture,
                                               Precision precision);

class KernelLibrary {
public:
    // Throws Failure.
    KernelLibrary(const std::string &architecture, Precision precision);

    void launch(const KernelLaunch &launch, cudaStream_t stream);

private:
    [[nodiscard]] cudaKernel_t find(const std::string &name);

    CudaLibrary m_library;
    std::map<std::string, cudaKernel_t> m_kernels;
};

} // namespace stagecraft::gpu
