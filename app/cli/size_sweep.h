#pragma once

// sweep --over: what schedules gain at several sizes of a model.

#include "cli/command_line.h"
#include "cli/model_options.h"
#include "timing/statistics/rounds.h"

#include <string>

namespace stagecraft {

struct SizeSweepOptions {
    std::string over; // PARAMETER=FROM..TO[:N or xFACTOR]; empty: the sweep is one of prunings
    int rounds = kDefaultRounds;
};

// Ends early, with the sizes that are done, when a stop was requested.
[[nodiscard]] Result<void> sweepSizes(const SizeSweepOptions &options, const ModelOptions &model,
                                      const DeviceOption &device, bool csv, const CommandLine &line);

} // namespace stagecraft
