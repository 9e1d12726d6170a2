#pragma once

// Convolutions through cuDNN's backend graph API: operation graphs of a convolution with bias and activation, engines
// from heuristic modes A and B (or fallback if these have none), and execution plans.
// Source: NVIDIA cuDNN backend API reference, 9.x.
//
// Only execution needs a GPU: a target is either a handle (this device) or the properties of a device as serialised by
// cuDNN, with which tests ask for engines on any machine.

#include "gpu/plan/task.h"
#include "gpu/plan/tuned_conv.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct cudnnContext;
struct CUstream_st;

namespace stagecraft::gpu {

struct CudnnTarget {
    cudnnContext *handle = nullptr;
    std::string deviceProperties; // JSON; used if there is no handle
};

struct EngineLimits {
    std::size_t engines = 24;        // the maximum; one engine with different knobs counts several times
    std::size_t compiledEngines = 0; // the maximum of engines that cuDNN compiles: more than a second each
    std::size_t workspaceBytes = std::size_t{1} << 28U;
    std::size_t settings = 0; // of each engine's knobs, tried beyond those that cuDNN proposes
};

class ConvEngine {
public:
    struct State;

    explicit ConvEngine(std::shared_ptr<State> state);

    [[nodiscard]] const std::string &name() const; // "engine 7", its knobs and properties
    [[nodiscard]] const EngineId &id() const;
    [[nodiscard]] std::size_t workspaceBytes() const;
    [[nodiscard]] bool isFused() const; // bias and activation are part of it

    // Binds the memory for all runs. The returned function runs on the handle's stream. Both throw Failure.
    [[nodiscard]] std::function<void(cudnnContext *)> bound(void *x, void *w, void *bias, void *y,
                                                            void *workspace) const;

private:
    std::shared_ptr<State> m_state;
};

// Best first, according to cuDNN; empty if cuDNN cannot compute it. `fused`: with the task's bias and activation in the
// same graph; otherwise the convolution alone. Precision limits the engines: fp32 is strict, so tensor cores (TF32) and
// engines that round their inputs are excluded. `compiled`: counts engines that cuDNN compiles.
[[nodiscard]] std::vector<ConvEngine> findEngines(const CudnnTarget &target, const ConvTask &conv, Precision precision,
                                                  bool fused, const EngineLimits &limits = {},
                                                  CompiledEngines *compiled = nullptr);

// The engine with this id; empty if cuDNN does not have it for the convolution, or the precision excludes it.
[[nodiscard]] std::optional<ConvEngine> engineOf(const CudnnTarget &target, const ConvTask &conv, Precision precision,
                                                 const EngineId &id);

} // namespace stagecraft::gpu
