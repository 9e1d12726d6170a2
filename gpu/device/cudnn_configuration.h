#pragma once

// What cuDNN's heuristics propose for an operation graph: an engine with its knobs and properties. Private to the cuDNN
// files of this folder.

#include "gpu/device/cudnn_descriptor.h"
#include "gpu/plan/gpu_options.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::gpu {

struct EngineConfiguration {
    using Knob = std::pair<int, std::int64_t>; // type, value
    using Identity = std::pair<std::int64_t, std::vector<Knob>>;

    std::unique_ptr<Descriptor> descriptor;
    std::int64_t engine = -1;
    std::vector<Knob> knobs; // ascending
    std::set<cudnnBackendNumericalNote_t> numerical;
    bool compiles = false; // it compiles a kernel when a plan is created

    // One engine with different knobs (tiles, split of the reduction) is a different kernel each time.
    [[nodiscard]] Identity identity() const { return {engine, knobs}; }
};

// Best first, according to cuDNN; empty if it has no answer. `device`: null for the graph's own.
[[nodiscard]] std::vector<EngineConfiguration> engineConfigurations(const Descriptor &graph, const Descriptor *device,
                                                                    cudnnBackendHeurMode_t mode);

// The rules of the precision: fp32 is strict, nothing is rounded more than the precision requires, and equal inputs
// give equal results.
[[nodiscard]] bool isAllowed(const EngineConfiguration &configuration, Precision precision);

// "engine 7 (2: 12, 18: 1)": knobs by their cuDNN numbers, then the engine's properties.
[[nodiscard]] std::string nameOf(const EngineConfiguration &configuration);

} // namespace stagecraft::gpu
