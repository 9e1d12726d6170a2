#pragma once

// Searches the parameters of a device's own kernels for the convolutions of a graph (device/kernel_tuning.h). A learned
// model proposes what is measured next (search/order/tile_search.h); the fastest are measured once more, in rounds
// against the library's kernel, and replace it only where that shows them faster, on a machine that nobody else keeps
// busy.

#include "device/device.h"
#include "measure/store/latency_store.h"
#include "support/result.h"
#include "timing/statistics/verdict.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct TuneRequest {
    int trials = 64;                    // of each kernel, at most
    std::optional<double> seconds = {}; // for all of them; what is left goes to the next ones
};

// What was found for a kernel.
struct KernelTuning {
    StoredKernel best;
    std::vector<std::string> operators;
    std::vector<std::string> parameterNames; // of best.parameters
    Verdict verdict = Verdict::None;         // the best parameters against the library
};

struct TuneProgress {
    std::size_t kernel = 0; // the one that is tuned, from 0
    std::size_t kernels = 0;
    std::int64_t trials = 0; // of it
    double bestRatio = 0;    // over the library's kernel; 0: none yet
};
using TuneCallback = std::function<void(const TuneProgress &)>;

// The kernels of the graph that the session is open on. `found` gets each as soon as it is known, so that a stop loses
// one at most; its error ends the tuning. Errors: WrongUse if the device has no kernels of its own.
[[nodiscard]] Result<std::vector<KernelTuning>>
tuneKernels(DeviceSession &session, const TuneRequest &request,
            const std::function<Result<void>(const KernelTuning &)> &found, const TuneCallback &onProgress,
            const std::stop_token &stop);

// Library over tuned, with 1 where the library's kernel stays.
[[nodiscard]] double meanSpeedup(const std::vector<KernelTuning> &kernels);

} // namespace stagecraft
