#pragma once

// Where the constants of a network lie in the weights file of an exported project. The format is described in
// resources/cpp_project/engine/weights_file.h.

#include "graph/graph.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class WeightPlan {
public:
    // Constants of the same values, as far as their owners know, lie there once. `graph` outlives the plan.
    explicit WeightPlan(const Graph &graph);
    explicit WeightPlan(const std::vector<const Parameter *> &parameters);

    [[nodiscard]] std::uint64_t offset(const Parameter &parameter) const;
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] const std::string &sha256() const { return m_sha256; } // of everything behind the header
    // Calls take(bytes) with the parts of the file, in order, until it fails.
    [[nodiscard]] Result<void> write(const std::function<Result<void>(std::string_view)> &take) const;
    // The same values as one list of float32 in NumPy's format, and where in the list a constant begins.
    [[nodiscard]] Result<void> writeNpy(const std::function<Result<void>(std::string_view)> &take) const;
    [[nodiscard]] std::uint64_t index(const Parameter &parameter) const;
    [[nodiscard]] std::uint64_t numbers() const;

private:
    [[nodiscard]] Result<void> writeValues(const std::function<Result<void>(std::string_view)> &take) const;

    std::map<std::string, std::uint64_t> m_offsets; // by identity
    std::vector<const Parameter *> m_parameters;    // in the order of the file
    std::uint64_t m_bytes = 0;
    std::string m_sha256;
};

} // namespace stagecraft
