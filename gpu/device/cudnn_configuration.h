#pragma once

// What cuDNN's heuristics propose for an operation graph: an engine with its knobs, and what is known about it. Private
// to the cuDNN files of this folder.

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
    bool compiles = false; // a kernel, when a plan is made

    // One engine comes with several choices of knobs (tiles, split of the reduction): each is a kernel of its own.
    [[nodiscard]] Identity identity() const { return {engine, knobs}; }
};

// Best first, as cuDNN thinks; none where it has no answer. `device`: null for the graph's own.
[[nodiscard]] std::vector<EngineConfiguration> engineConfigurations(const Descriptor &graph, const Descriptor *device,
                                                                    cudnnBackendHeurMode_t mode);

// What the precision promises: fp32 is strict, none gives up more than a precision's own rounding, and the same values
// give the same result.
[[nodiscard]] bool isAllowed(const EngineConfiguration &configuration, Precision precision);

// "engine 7 (2: 12, 18: 1)", knobs by their numbers in cuDNN, then what the engine is known for.
[[nodiscard]] std::string nameOf(const EngineConfiguration &configuration);

} // namespace stagecraft::gpu
