#pragma once

// How CUDA, cuDNN and NVRTC report failure within this folder: as an exception, so that code reads as what it does. It
// is caught where the folder ends (guarded) and becomes an Error. A failure is fatal where CUDA refuses everything
// after it (an illegal address, a kernel that was stopped): the process then has to end before a GPU can be used again.

#include "support/result.h"

#include <new>
#include <string>
#include <utility>

namespace stagecraft::gpu {

struct Failure {
    Error error;
    bool fatal = false;
};

// cudaError_t, cudnnStatus_t, nvrtcResult as their numbers: their headers stay in .cpp files.
void requireCuda(int code, const char *what);
void requireCudnn(int code, const char *what);
void requireNvrtc(int code, const char *what);

// A cudaError_t after which nothing works in this process any more.
[[nodiscard]] bool isFatal(int code);

// Waits for what was handed to the GPU, and is how that went: a cudaError_t.
[[nodiscard]] int stateOfGpu();

[[nodiscard]] std::string cudaText(int code);  // "out of memory (cudaErrorMemoryAllocation)"
[[nodiscard]] std::string cudnnText(int code); // with cuDNN's own last message

// Runs the body; a Failure becomes its error, and `lost` is set where it is fatal.
//
// cuDNN hides the reason of a failed launch, and CUDA within it is another copy than ours. What is beyond help is so
// for all of them: after any failure the GPU itself is asked, by `state` (a cudaError_t).
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
        return fail(ErrorCode::DeviceFailed, "the computer's own memory does not suffice", "use a smaller batch");
    }
}

} // namespace stagecraft::gpu
