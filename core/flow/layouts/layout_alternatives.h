#pragma once

// Chosen layouts beside simpler choices: one layout for all, each operator as it is fastest, what the device chooses.

#include "flow/layouts/layout_study.h"
#include "search/layouts/layout_search.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct LayoutAlternative {
    std::string name;            // "all_nchw", "all_nhwc", "per_operator_fastest"
    std::optional<double> sumUs; // of operators and conversions; empty: not possible
    std::optional<MeasuredVariant> measured;
};

struct LayoutComparison {
    std::vector<LayoutAlternative> alternatives;
    // On a device that executes:
    std::optional<MeasuredVariant> library; // in the layouts that the device chooses
    std::optional<MeasuredVariant> found;   // compared with those
};

// What they add up to, and on a device that executes (null: none) what they take, in rounds. Errors: the device's.
[[nodiscard]] Result<LayoutComparison> compareAlternatives(const LayoutProblem &problem, const LayoutResult &found,
                                                           const Model &model, const Device *device, int rounds,
                                                           const LayoutSearchOptions &search);

} // namespace stagecraft
