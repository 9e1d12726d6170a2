#pragma once

// Named schedules on the command line, and which of them compare uses.

#include "flow/find_schedule.h"
#include "flow/open_model.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// A name with a folder or an extension means a file.
[[nodiscard]] bool isScheduleFile(const std::string &spec);

// If a name is neither in `names` nor a file: WrongUse, with a suggestion.
[[nodiscard]] Result<void> checkScheduleName(const std::string &spec, const std::vector<std::string> &names);

// The schedule that is part of the model's file; WrongUse if it has none.
inline constexpr const char *kEmbeddedSchedule = "embedded";
[[nodiscard]] Result<TimedSchedule> embeddedSchedule(const OpenedModel &opened);

// WrongUse: latencies that a profile recorded at a batch size say nothing about the one that the model is open at.
[[nodiscard]] tl::unexpected<Error> refuseBatchOfProfile(std::int64_t recorded, const Model &model);

// Checks --schedule of commands that do not search: "sequential", "greedy", "embedded", or a file.
[[nodiscard]] Result<void> checkKnownSchedule(const std::string &spec);

struct ComparedSchedule {
    std::string name;                       // as typed; the key in the JSON answer
    std::string title;                      // "IOS-Both", or the file
    std::optional<ScheduleKind> kind;       // empty: a file, or `streams`
    TimedSchedule read;                     // from the file
    std::optional<StreamKind> streams = {}; // without barriers
};

// WrongUse if it has streams, or will have: as requireStages(Schedule).
[[nodiscard]] Result<void> requireStages(const ComparedSchedule &compared, std::string_view what);

// Reads a schedule file for the open model; differences are reported on standard error. Errors name the file.
[[nodiscard]] Result<TimedSchedule> readScheduleFile(const std::string &file, const Model &model);

// In the order given. Files are read at once.
[[nodiscard]] Result<std::vector<ComparedSchedule>> comparedSchedules(const std::vector<std::string> &names,
                                                                      const OpenedModel &opened);

// Where none are given: the five of the paper, or what can be had on a device that measures no stages.
[[nodiscard]] std::vector<std::string> comparedUnlessTold(const DeviceSession &session);

// The leading ones that are baselines: they may replace what was searched for.
[[nodiscard]] std::size_t baselinesOf(const std::vector<ComparedSchedule> &shown);

// Searches for the schedule, or measures the one that was read, unless it has latencies that a profile recorded.
[[nodiscard]] Result<FoundSchedule> makeCompared(const ComparedSchedule &compared, const Model &model,
                                                 DeviceSession &session, const DeviceInfo &device,
                                                 const SearchOptions &search, const std::stop_token &stop);

struct MadeSchedules {
    std::vector<FoundSchedule> made;
    std::vector<ComparedSchedule> which; // they are, as many
};

// Those that can be made, until a stop is requested: a recording may lack latencies of some, which is said on standard
// error, like what the device refused.
[[nodiscard]] Result<MadeSchedules> makeAllCompared(const std::vector<ComparedSchedule> &compared, const Model &model,
                                                    DeviceSession &session, const DeviceInfo &device,
                                                    const SearchOptions &search, const std::stop_token &stop);

} // namespace stagecraft
