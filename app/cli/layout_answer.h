#pragma once

// The answer of "layout", for programs and for people.

#include "answers/layout_answer.h"
#include "cli/command_line.h"
#include "flow/layouts/joint_layouts.h"
#include "flow/layouts/layout_alternatives.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

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

[[nodiscard]] answers::Layout layoutAnswer(const LayoutAnswer &answer);
[[nodiscard]] std::string layoutText(const LayoutAnswer &answer);

} // namespace stagecraft
