#pragma once

// Where the time of stages goes, as the command line prints it. Parts the device cannot tell are left out.

#include "cli/command_line.h"
#include "cli/text_table.h"
#include "flow/explain/stage_trials.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/schedule_time_parts.h"
#include "search/result.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

[[nodiscard]] TextTable stageTimesTable(const Timeline &timeline);

// One line per runner-up: "block 2, not a | b: idle SMs +8.10 us, launch +2.00 us". `trials` are of all runners-up of
// `blocks`, in their order.
[[nodiscard]] std::string whyText(const Graph &graph, const std::vector<BlockSearch> &blocks,
                                  const StageTrials &trials);

struct ExplainedSchedule {
    std::string name;
    std::optional<ScheduleTimeParts> parts; // empty: it has no timeline
    bool hasStreams = false;
};

// The parts of each schedule in a table, and what changes in blocks and spans that differ from the first that has
// parts. `explained`: in the order of the difference.
[[nodiscard]] std::string whyText(const ScheduleDifference &differences,
                                  const std::vector<ExplainedSchedule> &explained);

} // namespace stagecraft
