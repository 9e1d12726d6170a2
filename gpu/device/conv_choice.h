#pragma once

// How one convolution is computed: by which engine or kernel, and with which extra steps. cuDNN may compute the
// convolution alone (bias and activation follow in a kernel of ours), and may be faster on tensors without gaps (with
// copies before and after).

#include "gpu/device/cudnn_conv.h"
#include "gpu/plan/kernel_launch.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::gpu {

struct ConvChoice {
    std::optional<ConvEngine> engine; // empty: a kernel of ours
    std::string kernel;
    bool packsX = false;
    bool packsY = false;
    std::size_t workspaceBytes = 0; // the engine's own, then the copies
    double aloneUs = 0;             // when timed alone; 0: not timed

    [[nodiscard]] std::string name() const;
};

// The steps in order: library calls and launches with fixed addresses.
struct ConvStep {
    std::optional<KernelLaunch> launch;
    std::function<void(cudnnContext *)> library; // on the stream set on the handle
};

// All ways to compute the convolution, most promising first; the last ones are our own kernels, which always work.
// `compiled`: counts engines that cuDNN compiles.
[[nodiscard]] std::vector<ConvChoice> convChoices(const CudnnTarget &target, const ConvTask &conv,
                                                  const GpuOptions &options, CompiledEngines *compiled = nullptr);

// From values and back, without a search among the engines. Empty if there is no such way.
[[nodiscard]] TunedConv::Choice valuesOf(const ConvChoice &choice);
[[nodiscard]] std::optional<ConvChoice> choiceOf(const TunedConv::Choice &values, const CudnnTarget &target,
                                                 const ConvTask &conv, const GpuOptions &options);

[[nodiscard]] std::vector<ConvStep> stepsOf(const ConvChoice &choice, const ConvTask &conv, const GpuOptions &options,
                                            const Address &address, std::byte *workspace);

} // namespace stagecraft::gpu
