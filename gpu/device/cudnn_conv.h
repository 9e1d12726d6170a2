#pragma once

// Convolutions through cuDNN's backend graph API: operation graphs of a convolution with bias and activation, engines
// from heuristic modes A and B (fallback where they have none), ready-made execution plans.
// Source: NVIDIA cuDNN backend API reference, 9.x.
//
// Nothing here needs a GPU but executing: a target is either a handle (this device) or the properties of a device as
// cuDNN writes them, with which tests ask for engines on any machine.

#include "gpu/plan/task.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct cudnnContext;
struct CUstream_st;

namespace stagecraft::gpu {

struct CudnnTarget {
    cudnnContext *handle = nullptr;
    std::string deviceProperties; // JSON; used where there is no handle
};

struct EngineLimits {
    std::size_t engines = 24;        // taken at most; the same one with other knobs counts
    std::size_t compiledEngines = 3; // of those that compile a kernel when they are made: slow to try
    std::size_t workspaceBytes = std::size_t{1} << 28U;
};

class ConvEngine {
public:
    struct State;

    explicit ConvEngine(std::shared_ptr<State> state);

    [[nodiscard]] const std::string &name() const; // "engine 7" and its knobs, with what it is known for
    [[nodiscard]] std::size_t workspaceBytes() const;
    [[nodiscard]] bool isFused() const; // bias and activation are part of it

    // With its memory named, once for all runs. What is returned runs on the stream set on the handle. Both throw
    // Failure.
    [[nodiscard]] std::function<void(cudnnContext *)> bound(void *x, void *w, void *bias, void *y,
                                                            void *workspace) const;

private:
    std::shared_ptr<State> m_state;
};

// Best first, as cuDNN thinks; none where cuDNN cannot do it. `fused`: with the task's bias and activation in the same
// graph; otherwise the convolution alone. Precision decides which engines are taken: fp32 is strict, so none on tensor
// cores (TF32) and none that convert their inputs down.
[[nodiscard]] std::vector<ConvEngine> findEngines(const CudnnTarget &target, const ConvTask &conv, Precision precision,
                                                  bool fused, const EngineLimits &limits = {});

} // namespace stagecraft::gpu
