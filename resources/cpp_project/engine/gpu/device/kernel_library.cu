#include "gpu/device/kernel_library.h"

#include "gpu/kernels/common.cuh"

#include <string_view>

namespace stagecraft::gpu::kernels {

using Element = float;

}

using stagecraft::gpu::kernels::Element;

#include "gpu/kernels/conv.cu"
#include "gpu/kernels/depthwise.cu"
#include "gpu/kernels/elementwise.cu"
#include "gpu/kernels/pool.cu"
#include "gpu/kernels/softmax.cu"

namespace stagecraft::gpu {
namespace {

struct NamedKernel {
    std::string_view name;
    const void *function;
};

template <typename Function>
NamedKernel named(std::string_view name, Function *function)
{
    return {name, reinterpret_cast<const void *>(function)};
}

#define STAGECRAFT_KERNEL(name) named(#name, &::name)

const void *kernelNamed(const std::string &name)
{
    static const NamedKernel kKernels[]{
        STAGECRAFT_KERNEL(convRow),
        STAGECRAFT_KERNEL(convTile_32_32),
        STAGECRAFT_KERNEL(convTile_64_64),
        STAGECRAFT_KERNEL(depthwiseChannels_0_0),
        STAGECRAFT_KERNEL(depthwiseChannels_3_1),
        STAGECRAFT_KERNEL(depthwiseChannels_3_2),
        STAGECRAFT_KERNEL(depthwiseChannels_5_1),
        STAGECRAFT_KERNEL(depthwiseChannels_5_2),
        STAGECRAFT_KERNEL(depthwiseChannels_7_1),
        STAGECRAFT_KERNEL(depthwiseChannels_7_2),
        STAGECRAFT_KERNEL(depthwisePlanes_0_0),
        STAGECRAFT_KERNEL(depthwisePlanes_3_1),
        STAGECRAFT_KERNEL(depthwisePlanes_3_2),
        STAGECRAFT_KERNEL(depthwisePlanes_5_1),
        STAGECRAFT_KERNEL(depthwisePlanes_5_2),
        STAGECRAFT_KERNEL(depthwisePlanes_7_1),
        STAGECRAFT_KERNEL(depthwisePlanes_7_2),
        STAGECRAFT_KERNEL(elementwise),
        STAGECRAFT_KERNEL(elementwiseFlat),
        STAGECRAFT_KERNEL(fill),
        STAGECRAFT_KERNEL(globalPool),
        STAGECRAFT_KERNEL(pool),
        STAGECRAFT_KERNEL(softmax),
    };
    for (const NamedKernel &kernel : kKernels) {
        if (kernel.name == name)
            return kernel.function;
    }
    throw Failure{{ErrorCode::DeviceFailed, "there is no kernel " + name, {}, {}}, false};
}

} // namespace

KernelLibrary::KernelLibrary(const std::string &architecture, Precision precision)
{
    cudaFuncAttributes attributes{};
    requireCuda(cudaFuncGetAttributes(&attributes, kernelNamed("elementwise")),
                ("looking for the kernels of architecture " + architecture).c_str());
    if (precision == Precision::Fp16)
        throw Failure{{ErrorCode::DeviceFailed, "the kernels are compiled for fp32", {}, {}}, false};
}

void KernelLibrary::launch(const KernelLaunch &launch, cudaStream_t stream)
{
    // CUDA reads the parameters during the call.
    void *parameters = const_cast<std::byte *>(launch.parameters.data());
    const dim3 grid(launch.grid[0], launch.grid[1], launch.grid[2]);
    const dim3 block(launch.block[0], launch.block[1], launch.block[2]);
    requireCuda(cudaLaunchKernel(kernelNamed(launch.kernel), grid, block, &parameters, launch.sharedBytes, stream),
                ("kernel " + launch.kernel).c_str());
}

} // namespace stagecraft::gpu
