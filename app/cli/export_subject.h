#pragma once

// What the command export writes: schedules, searched for and measured where that is needed, or what a study found.

#include "cli/command_line.h"
#include "cli/model_options.h"
#include "cli/schedule_names.h"
#include "cli/study_runs.h"
#include "export/formats.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct ExportOptions {
    ModelOptions model;
    DeviceOption device;
    std::vector<std::string> schedules;
    std::string format;
    std::string view;
    std::string output;
    std::string target;
    std::string theme;
    double scale = 1;
    PruningBounds bounds;              // of the trade-off
    std::vector<std::int64_t> batches; // of specialisation
    std::vector<std::string> devices;
};

// WrongUse: the view needs a schedule, or a device, that is not named, or names one that it does not show.
[[nodiscard]] Result<void> checkSubject(const ExportOptions &options, ExportView view);

// Into request.model and what its view needs. The view was checked.
[[nodiscard]] Result<void> findSubject(ExportRequest &request, const ExportOptions &options, const CommandLine &line);

} // namespace stagecraft
