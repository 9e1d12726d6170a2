#pragma once

// Our own kernels, compiled at run time by NVRTC for the very GPU at hand: nothing to build beforehand, nothing that
// does not fit. Compiling needs no GPU; what was compiled is kept in files.

#include "gpu/cuda/cuda_handles.h"
#include "gpu/plan/kernel_launch.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stagecraft::gpu {

// All kernels for one precision, as machine code. `architecture`: "sm_90". For a GPU newer than this NVRTC: PTX for the
// newest one it knows, which the driver compiles when it is loaded. Throws Failure, with the compiler's words.
[[nodiscard]] std::vector<char> compileKernels(const std::string &architecture, Precision precision);

// Where that code is kept: the name tells architecture, precision, the kernels' texts and NVRTC's version apart. Throws
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
