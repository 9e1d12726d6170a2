#pragma once

// Options of "layout", and what they name.

#include "cli/command_line.h"
#include "cli/layout_answer.h"
#include "cli/model_options.h"
#include "flow/layouts/layout_study.h"

#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct LayoutOptions {
    ModelOptions model;
    DeviceOption device;
    std::string costs;
    std::string layouts;
    std::string prune = "dominance";
    std::string output;
    int rounds = kDefaultRounds;
    bool joint = false;
    SearchFlags search;
};

// WrongUse: --prune has another form.
[[nodiscard]] Result<LayoutPruning> pruningFrom(const std::string &text);
// Those that --layouts names, NCHW among them.
[[nodiscard]] Result<LayoutProblem> chosenLayouts(const LayoutProblem &problem, const std::string &names);
// With --costs, from the file; else from the device.
[[nodiscard]] Result<ProfiledLayouts> costsFor(const LayoutOptions &options, const Model &model, const Device *device,
                                               const std::stop_token &stop);
// With --joint. The layouts alone are one of its starting points.
[[nodiscard]] Result<JointAnswer> jointly(const LayoutOptions &options, const Model &model, const LayoutCosts &costs,
                                          const Device *device, const std::stop_token &stop);

} // namespace stagecraft
