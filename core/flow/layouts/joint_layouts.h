#pragma once

// Stages and layouts together, with what is known of stages in layouts on a device or in a file.

#include "device/device.h"
#include "model/model.h"
#include "search/layouts/joint_search.h"
#include "search/layouts/layout_costs.h"
#include "support/result.h"

#include <cstdint>
#include <string>

namespace stagecraft {

struct JointLayouts {
    JointResult result;
    std::string basis;                  // where latencies of stages in layouts come from, for people
    std::string provenance;             // of the latency: measured or assumed
    std::int64_t stageMeasurements = 0; // stages that the device was asked for
};

// Without a device (latencies of operators from a file) a stage takes its slowest group. On a simulated one its latency
// in NCHW changes as the sum of its operators does. On cpu every stage is measured in its layouts, in which an operator
// reads what it writes where it can, and the result comes from alternation. Errors: those of searchJointly and of the
// device.
[[nodiscard]] Result<JointLayouts> chooseJointly(const Model &model, const LayoutCosts &costs, const Device *device,
                                                 JointOptions options);

// The stages and layouts that were found, for the options of the search; without `joint`, one operator after the other.
[[nodiscard]] Result<TimedSchedule> scheduleWith(const Model &model, const LayoutProblem &problem,
                                                 const LayoutAssignment &layouts, const JointResult *joint,
                                                 const SearchOptions &search);

} // namespace stagecraft
