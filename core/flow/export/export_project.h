#pragma once

// A schedule as a C++ project in a folder (export/cpp_project/cpp_project.h).

#include "device/device.h"
#include "export/cpp_project/cpp_project.h"
#include "model/model.h"

#include <functional>
#include <stop_token>
#include <string>

namespace stagecraft {

// What the target does not execute is refused, by operator, before anything is written. The whole folder or nothing;
// errors name the model or the folder.
//
// For the CPU the schedule is run once on `cpu`.
[[nodiscard]] Result<WrittenFolder> exportForCpu(const Model &model, const Schedule &schedule, DeviceSession &cpu,
                                                 const std::string &folder, std::stop_token stop);
// For a GPU `planned` plans it as gpu:0 would, which needs no GPU.
using CheckSchedule = std::function<Result<void>(const Graph &graph, const Schedule &schedule)>;
[[nodiscard]] Result<WrittenFolder> exportForCuda(const Model &model, const Schedule &schedule,
                                                  const CheckSchedule &planned, const std::string &folder);

// As a Python module for PyTorch (export/pytorch_module/pytorch_module.h).
[[nodiscard]] Result<WrittenFolder> exportForPytorch(const Model &model, const Schedule &schedule,
                                                     const std::string &folder);

} // namespace stagecraft
