#pragma once

// The built-in networks, as the IOS paper schedules them: the same units, inputs, shapes, order and blocks as the
// graphs its authors published. Weights are seeded by name (graph/parameter_values.h).

#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace stagecraft {

struct BuiltInNetwork {
    std::string_view name;
    std::string_view title;
};

struct BuiltInOptions {
    std::int64_t batch = 1;
    std::int64_t sampleChannels = 375; // only for the network `sample`
};

[[nodiscard]] std::span<const BuiltInNetwork> builtInNetworks();

[[nodiscard]] bool isBuiltIn(std::string_view name);

// Refuses (WrongUse) an unknown name, or a batch or channel count below 1; absurd sizes are refused as by the shape
// rules.
[[nodiscard]] Result<SourceGraph> builtInNetwork(std::string_view name, const BuiltInOptions &options = {});

} // namespace stagecraft
