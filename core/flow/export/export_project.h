#pragma once

// A schedule as a project in a folder: in C++ (export/cpp_project/cpp_project.h), or as a Python module for PyTorch
// (export/pytorch_module/pytorch_module.h).
//
// What the target does not execute is refused, by operator, before anything is written. The whole folder or nothing;
// errors name the model or the folder.

#include "flow/export/export_tools.h"

#include <stop_token>
#include <string>

namespace stagecraft {

// For the CPU the schedule is run once; for a GPU it is planned, which needs no GPU.
[[nodiscard]] Result<WrittenFolder> exportCppProject(const ExportRequest &request, const std::string &folder,
                                                     const ExportTools &tools, const std::stop_token &stop);

[[nodiscard]] Result<WrittenFolder> exportPytorchModule(const ExportRequest &request, const std::string &folder);

} // namespace stagecraft
