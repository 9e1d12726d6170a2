#pragma once

// Layouts for the stages of a schedule on a device: what operators and conversions take there, the choice, and the
// schedule that states it, with its latency.

#include "device/device.h"
#include "flow/layouts/layout_study.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "search/layouts/layout_choice.h"
#include "support/result.h"

#include <span>
#include <stop_token>
#include <string>

namespace stagecraft {

// Whether layouts can be chosen on the device of this id. WrongUse: why not, and on which they can.
[[nodiscard]] Result<void> canChooseLayouts(const std::string &deviceId);

// What operators and conversions take in each layout: measured on cpu and GPUs in `layouts`, assumed on sim:v100 in
// NCHW and NHWC. Errors: those of canChooseLayouts and of the device.
[[nodiscard]] Result<ProfiledLayouts> layoutCostsOn(const Model &model, const Device &device,
                                                    std::span<const TensorLayout> layouts,
                                                    const ProfileProgress &progress, const std::stop_token &stop);

struct LayoutsOfSchedule {
    LayoutChoice choice;
    TimedSchedule schedule; // the same stages, with the layouts stated and a latency
    std::string text;       // "NCHW and NHWC, 4 conversions": those that tensors are written in
};

// The layouts for the stages of `schedule`. Where the costs are measured, the session measures the new schedule. Where
// they are assumed, each stage is taken to change as the sum of its operators alone does, and so is the latency.
// `options`: of the search for layouts, which tells its progress. Errors: those of chooseLayouts and of the session.
[[nodiscard]] Result<LayoutsOfSchedule> layoutsOfSchedule(const Model &model, const TimedSchedule &schedule,
                                                          LayoutCosts costs, DeviceSession &session,
                                                          const DeviceInfo &device, const LayoutSearchOptions &options);

} // namespace stagecraft
