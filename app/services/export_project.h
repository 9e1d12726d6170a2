#pragma once

// A schedule as a C++ project in a folder (export/cpp_project/cpp_project.h).

#include "device/device.h"
#include "export/cpp_project/cpp_project.h"
#include "model/model.h"

#include <stop_token>
#include <string>

namespace stagecraft {

// Runs the schedule once on `cpu`, so that what it does not execute is refused, by operator, before anything is
// written. The whole folder or nothing; errors name the model or the folder.
[[nodiscard]] Result<WrittenProject> exportCppProject(const Model &model, const Schedule &schedule, DeviceSession &cpu,
                                                      const std::string &folder, std::stop_token stop);

} // namespace stagecraft
