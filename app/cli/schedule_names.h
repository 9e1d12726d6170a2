#pragma once

// The schedules that have names on the command line, and which of them compare sets side by side.

#include "model/model.h"
#include "services/make_schedule.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// A name that is neither `names` nor a file, as a misspelt one: WrongUse, with what it may have been meant to be.
[[nodiscard]] Result<void> checkScheduleName(const std::string &spec, const std::vector<std::string> &names);

// What --schedule takes where nothing is searched: "sequential", "greedy", or a file.
[[nodiscard]] Result<void> checkKnownSchedule(const std::string &spec);

struct ComparedSchedule {
    std::string name;                 // as typed; the key of the JSON answer
    std::string title;                // "IOS-Both", or the file
    std::optional<ScheduleKind> kind; // nothing: a file
    Schedule read;                    // from the file
};

// A schedule file, for the model as it is open; what differs is said on standard error. The error names the file.
[[nodiscard]] Result<Schedule> readScheduleFile(const std::string &file, const Model &model);

// In the order they were named; the five of the paper where none was. Files are read at once.
[[nodiscard]] Result<std::vector<ComparedSchedule>> comparedSchedules(const std::vector<std::string> &names,
                                                                      const Model &model);

// Searched for, or measured as it was read.
[[nodiscard]] Result<MadeSchedule> makeCompared(const ComparedSchedule &compared, const Model &model,
                                                DeviceSession &session, const DeviceInfo &device,
                                                const SearchOptions &search, const std::stop_token &stop);

} // namespace stagecraft
