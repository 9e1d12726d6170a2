#pragma once

// The built-in networks, as the IOS paper schedules them: the same units, inputs, shapes, order and blocks as the
// graphs its authors published; and generators of networks of today, whose sizes are chosen. Weights are seeded by name
// (graph/parameter_values.h).

#include "model/generator.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <span>
#include <string>
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

[[nodiscard]] std::span<const Generator> generators();
// Null: no generator has this name.
[[nodiscard]] const Generator *findGenerator(std::string_view name);

// A generator with the values of "NAME:PARAMETER=VALUE,...", or of "NAME" alone.
struct GeneratedSpec {
    const Generator *generator = nullptr;
    GeneratorValues values;

    [[nodiscard]] std::string text() const; // the same, as short as can be, in the order of the table
};

// WrongUse, with all names or all parameters and their ranges: there is no such generator or parameter, or a value is
// not a number, out of range or given twice.
[[nodiscard]] Result<GeneratedSpec> generatedSpec(std::string_view spec);

// A name of a network or a generator, with or without parameters, right or wrong: not a file.
[[nodiscard]] bool isBuiltIn(std::string_view spec);

// Refuses (WrongUse) an unknown name or parameter, or a batch or channel count below 1; absurd sizes are refused as by
// the shape rules. The hash does not depend on the batch.
[[nodiscard]] Result<SourceGraph> builtInNetwork(std::string_view spec, const BuiltInOptions &options = {});

} // namespace stagecraft
