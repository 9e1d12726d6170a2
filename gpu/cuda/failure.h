#pragma once

// How CUDA and cuDNN report failure within this folder: as an exception, so that the code stays readable. It is
// caught at the border of the folder (guarded) and becomes an Error. A failure is fatal if CUDA refuses everything
// after it (an illegal address, a kernel that was stopped): the process has to end before a GPU can be used again.

#include "support/result.h"

#include <new>
#include <string>
#include <utility>

namespace stagecraft::gpu {

struct Failure {
    Error error;
    bool fatal = false;
};

// cudaError_t and cudnnStatus_t as numbers: their headers stay in .cpp files.
void requireCuda(int code, const char *what);
void requireCudnn(int code, const char *what);

// A cudaError_t after which nothing works in this process.
[[nodiscard]] bool isFatal(int code);

// Waits for the work submitted to the GPU and returns its result: a cudaError_t.
[[nodiscard]] int stateOfGpu();

[[nodiscard]] std::string cudaText(int code);  // "out of memory (cudaErrorMemoryAllocation)"
[[nodiscard]] std::string cudnnText(int code); // with cuDNN's own last message

// Runs the body. A Failure becomes its error, and `lost` is set if it is fatal.
//
// cuDNN hides the reason of a failed launch, and contains its own copy of CUDA. A fatal error affects both: after any
// failure, `state` asks the GPU itself (a cudaError_t).
template <typename Body>
auto guarded(bool &lost, const Body &body, int (*state)() = stateOfGpu) -> decltype(body())
{
    try {
        return body();
    } catch (const Failure &failure) {
        Error error = failure.error;
        const int beneath = failure.fatal ? 0 : state();
        if (isFatal(beneath))
            error.message += "; the GPU: " + cudaText(beneath);
        lost = lost || failure.fatal || isFatal(beneath);
        return tl::unexpected(std::move(error));
    } catch (const std::bad_alloc &) {
        return fail(ErrorCode::DeviceFailed, "the computer has not enough memory", "use a smaller batch");
    }
}

} // namespace stagecraft::gpu
