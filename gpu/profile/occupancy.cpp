#include "gpu/profile/occupancy.h"

#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <climits>

namespace stagecraft::gpu {
namespace {

int blocksPerSm(const cudaOccDeviceProp &device, const KernelRecord &record)
{
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = INT_MAX;
    function.numRegs = record.registersPerThread;
    function.sharedSizeBytes = static_cast<std::size_t>(record.staticSharedBytes);
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(record.dynamicSharedBytes);
    function.numBlockBarriers = 1;
    const cudaOccDeviceState state;
    cudaOccResult result{};
    const cudaOccError code =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, record.threadsPerBlock,
                                                static_cast<std::size_t>(record.dynamicSharedBytes));
    // It ran, so at least one block fits, whatever the calculation returns for an unknown architecture.
    return code == CUDA_OCC_SUCCESS ? std::max(1, result.activeBlocksPerMultiprocessor) : 1;
}

} // namespace

SmLimits smLimitsOf(const cudaDeviceProp &properties)
{
    const cudaOccDeviceProp device(properties);
    return {device.numSms, device.maxThreadsPerMultiprocessor / std::max(1, device.warpSize),
            [device](const KernelRecord &record) { return blocksPerSm(device, record); }};
}

} // namespace stagecraft::gpu
