#pragma once

// A model with a schedule that a command does not search for (--schedule): a policy, or one from a file.

#include "cli/model_options.h"
#include "device/device.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace stagecraft {

namespace answers {
struct MadeFor;
}

// --schedule, for commands that do not search.
void addScheduleTo(CLI::App &command, std::string &schedule);

// A model and a schedule for it: "sequential", "greedy", "embedded" or a schedule file. Without --batch, the model is
// opened at the batch that the file was made for; differences are reported on standard error. WrongUse: the model
// cannot be opened at that batch.
struct ScheduledModel {
    Model model;
    TimedSchedule schedule;
    std::optional<TimedSchedule> file; // device, batch and precision that the file was made for

    // Reports if the schedule was made for another device or precision.
    void tellProvenance(const DeviceInfo &device) const;
};

// Latencies that a profile recorded are of its batch. WrongUse: the model is open at another.
[[nodiscard]] Result<void> checkBatchOfProfile(const ScheduledModel &opened);

[[nodiscard]] Result<ScheduledModel> openScheduled(const ModelOptions &options, const std::string &spec);

// The model alone, at the same batch. `spec` may also name a schedule to be searched for, or no readable file.
[[nodiscard]] Result<OpenedModel> openForSchedule(const ModelOptions &options, const std::string &spec);

// Empty for a schedule that is not from a file.
[[nodiscard]] std::optional<answers::MadeFor> madeFor(const ScheduledModel &opened);

} // namespace stagecraft
