#pragma once

// The answer of "layout", as JSON and for people.

#include "cli/command_line.h"
#include "flow/layouts/joint_layouts.h"
#include "flow/layouts/layout_study.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct LayoutAlternative {
    std::string name;            // its key in the answer
    std::optional<double> sumUs; // of operators and conversions; empty: not possible
    std::optional<MeasuredVariant> measured;
};

struct LayoutComparison {
    std::vector<LayoutAlternative> alternatives;
    // On a device that executes:
    std::optional<MeasuredVariant> library; // in the layouts that the device chooses
    std::optional<MeasuredVariant> found;   // compared with those
};

struct JointAnswer {
    JointLayouts found;
    double searchSeconds = 0;
};

struct LayoutAnswer {
    const Model &model;
    const LayoutProblem &problem;
    const LayoutResult &result;
    const LayoutCostsSource &source;
    const LayoutProfiles &profiles;
    const LayoutComparison &comparison;
    std::string prune;
    double searchSeconds = 0;
    const std::optional<JointAnswer> &joint; // what is answered where there is one

    [[nodiscard]] const LayoutAssignment &layouts() const { return joint ? joint->found.result.layouts : result.best; }
};

[[nodiscard]] Json layoutJson(const LayoutAnswer &answer);
[[nodiscard]] std::string layoutText(const LayoutAnswer &answer);

} // namespace stagecraft
