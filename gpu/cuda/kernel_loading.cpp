#include "gpu/cuda/kernel_loading.h"

namespace stagecraft::gpu {

#if CUDART_VERSION >= 12080

int loadKernels(CUlibrary &library, const void *code)
{
    return cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

int findKernel(cudaKernel_t &kernel, CUlibrary library, const char *name)
{
    return cudaLibraryGetKernel(&kernel, library, name);
}

int unloadKernels(CUlibrary library)
{
    return cudaLibraryUnload(library);
}

#else

namespace {

// The module does not link the driver, which is missing on machines without a GPU. The runtime's numbers for errors are
// the driver's.
template <typename Function, typename... Arguments>
int callDriver(const char *name, Arguments... arguments)
{
    void *address = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t asked = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
    if (asked != cudaSuccess)
        return asked;
    if (found != cudaDriverEntryPointSuccess || !address)
        return cudaErrorInsufficientDriver;
    return reinterpret_cast<Function>(address)(arguments...);
}

} // namespace

int loadKernels(CUlibrary &library, const void *code)
{
    return callDriver<decltype(&cuLibraryLoadData)>("cuLibraryLoadData", &library, code, nullptr, nullptr, 0U, nullptr,
                                                    nullptr, 0U);
}

int findKernel(cudaKernel_t &kernel, CUlibrary library, const char *name)
{
    CUkernel found = nullptr;
    const int said = callDriver<decltype(&cuLibraryGetKernel)>("cuLibraryGetKernel", &found, library, name);
    kernel = reinterpret_cast<cudaKernel_t>(found); // the runtime's manual: they may be exchanged
    return said;
}

int unloadKernels(CUlibrary library)
{
    return callDriver<decltype(&cuLibraryUnload)>("cuLibraryUnload", library);
}

#endif

} // namespace stagecraft::gpu
