#pragma once

// A built-in network whose sizes are chosen, NAME:PARAMETER=VALUE,...: what the parameters are, and their values. The
// rows are in model/networks/generators.cpp; the command line, its completion, its errors and the window read them.

#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct GeneratorParameter {
    std::string_view name;
    std::int64_t usual = 0; // unless told
    std::int64_t least = 1;
    std::int64_t most = 1;
    std::string_view means;
};

// A value for each parameter.
class GeneratorValues {
public:
    explicit GeneratorValues(std::span<const GeneratorParameter> parameters);

    [[nodiscard]] std::int64_t operator[](std::string_view name) const;
    // WrongUse, with what there is to choose from: there is no such parameter, or its range excludes the value.
    [[nodiscard]] Result<void> set(std::string_view name, std::int64_t value);
    // "tokens=32,heads=4": those that differ from the usual ones, in the order of the table.
    [[nodiscard]] std::string text() const;

private:
    std::span<const GeneratorParameter> m_parameters;
    std::vector<std::int64_t> m_values;
};

struct Generator {
    std::string_view name;
    std::string_view title;
    std::span<const GeneratorParameter> parameters;
    // Operators as in a model file, from which units are yet to be formed. WrongUse: values that exclude each other.
    Result<SourceGraph> (*make)(const GeneratorValues &values, std::int64_t batch);
};

// "tokens (1 to 65,536, 128 unless told), ..."
[[nodiscard]] std::string parametersText(std::span<const GeneratorParameter> parameters);

} // namespace stagecraft
