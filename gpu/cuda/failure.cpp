#include "gpu/cuda/failure.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace stagecraft::gpu {
namespace {

[[noreturn]] void failCuda(cudaError_t code, const char *what)
{
    cudaGetLastError(); // clears the error, if that is possible
    Failure failure;
    failure.error.code = ErrorCode::DeviceFailed;
    failure.error.message = std::string(what) + " failed: " + cudaText(code);
    failure.fatal = isFatal(code);
    if (code == cudaErrorMemoryAllocation)
        failure.error.remedy = "use a smaller batch, or end other programs on the GPU";
    throw failure;
}

} // namespace

// Errors after which the process has to end, according to the runtime's manual ("Data types used by CUDA Runtime"), and
// errors of defective memory or links.
bool isFatal(int code)
{
    constexpr int kContained = 226; // cudaErrorContained and cudaErrorTensorMemoryLeak, from toolkit 12.8 on
    constexpr int kTensorMemoryLeak = 721;
    switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case kTensorMemoryLeak:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case kContained:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown: return true;
    default: return false;
    }
}

int stateOfGpu()
{
    const cudaError_t state = cudaDeviceSynchronize();
    cudaGetLastError();
    return state;
}

std::string cudaText(int code)
{
    const auto error = static_cast<cudaError_t>(code);
    return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ')';
}

std::string cudnnText(int code)
{
    char message[512] = "";
    cudnnGetLastErrorString(message, sizeof message);
    std::string text = cudnnGetErrorString(static_cast<cudnnStatus_t>(code));
    if (message[0] != '\0')
        text += std::string(": ") + message;
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

void requireCuda(int code, const char *what)
{
    if (code != cudaSuccess)
        failCuda(static_cast<cudaError_t>(code), what);
}

void requireCudnn(int code, const char *what)
{
    if (code != CUDNN_STATUS_SUCCESS)
        throw Failure{{ErrorCode::DeviceFailed, std::string(what) + " failed: " + cudnnText(code), {}, {}}, false};
}

} // namespace stagecraft::gpu
