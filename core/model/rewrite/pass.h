#pragma once

// The passes that turn the operators of a model file into schedule units, as a table, in the order in which they run.
// Each is a file of its own, keeps all outputs the same up to rounding, can be left out, and reports what it changed.

#include "graph/model_reference.h"
#include "support/ids.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class GraphEdit;
enum class OperatorKind;

struct Pass {
    std::string_view name;                   // "fold-batch-norms", as --without takes it
    std::string_view what;                   // one sentence for people, without a period
    std::set<Units> units;                   // it runs for these
    void (*run)(GraphEdit &graph) = nullptr; // null: it is part of reading the file
    // It changes nothing in a graph without an operator of a kind from each of these sets.
    std::vector<std::set<OperatorKind>> needs = {};

    [[nodiscard]] bool runsIn(const Reading &reading) const
    {
        return units.contains(reading.units) && !reading.without.contains(std::string(name));
    }
};

[[nodiscard]] std::span<const Pass> passes();
// Null if there is none with this name.
[[nodiscard]] const Pass *findPass(std::string_view name);

namespace pass {
// Those that are part of reading the file.
inline constexpr std::string_view kFoldConstants = "fold-constants";
inline constexpr std::string_view kRemoveIdentities = "remove-identities";
} // namespace pass

// An operator of the file that is no operator of its own any more.
struct PassChange {
    std::string name;
    std::string type;
    OperatorId before = {}; // in the graph that was read; invalid: it never got there
    OperatorId unit = {};   // in the result: what it is part of; invalid: it is not needed
};

struct PassReport {
    std::string_view pass;
    std::vector<PassChange> changes;
};

} // namespace stagecraft
