#pragma once

// What cuDNN's heuristics propose for an operation graph: an engine with its knobs and properties. Private to the cuDNN
// files of this folder.

#include "gpu/device/cudnn_descriptor.h"
#include "gpu/plan/gpu_options.h"
#include "gpu/plan/tuned_conv.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stagecraft::gpu {

struct EngineConfiguration {
    std::vector<std::unique_ptr<Descriptor>> parts; // what the descriptor refers to
    std::unique_ptr<Descriptor> descriptor;
    EngineId id; // one engine with different knobs (tiles, split of the reduction) is a different kernel each time
    std::set<cudnnBackendNumericalNote_t> numerical;
    bool compiles = false; // it compiles a kernel when a plan is created
};

// Best first, according to cuDNN; empty if it has no answer. `device`: null for the graph's own.
[[nodiscard]] std::vector<EngineConfiguration> engineConfigurations(const Descriptor &graph, const Descriptor *device,
                                                                    cudnnBackendHeurMode_t mode);

// The engine with these knobs; empty if cuDNN has no such engine for the graph.
[[nodiscard]] std::optional<EngineConfiguration> configuredEngine(const Descriptor &graph, const Descriptor *device,
                                                                  const EngineId &id);

// All settings of the knobs of an engine, at most `limit`: heuristics propose few of them. They are not all possible.
[[nodiscard]] std::vector<EngineId> knobSettings(const Descriptor &graph, const Descriptor *device, std::int64_t engine,
                                                 std::size_t limit);

// The rules of the precision: fp32 is strict, nothing is rounded more than the precision requires, and equal inputs
// give equal results.
[[nodiscard]] bool isAllowed(const EngineConfiguration &configuration, Precision precision);

// "engine 7 (2: 12, 18: 1)": knobs by their cuDNN numbers, then the engine's properties.
[[nodiscard]] std::string nameOf(const EngineConfiguration &configuration);

} // namespace stagecraft::gpu
