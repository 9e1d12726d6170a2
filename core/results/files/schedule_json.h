#pragma once

// Schedule files (.schedule.json), version 1. Operators are named as in the model.

#include "graph/block.h"
#include "graph/graph.h"
#include "graph/operator_names.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] std::string toJson(const Graph &graph, const TimedSchedule &schedule);
[[nodiscard]] std::string toJson(const OperatorNames &names, const TimedSchedule &schedule);

// Reads and verifies. Refuses, naming the place: text that is not JSON, another format or version, another model (by
// hash, unless every operator name matches), unknown operators, an illegal schedule.
[[nodiscard]] Result<TimedSchedule> scheduleFromJson(std::string_view text, const Graph &graph, const Blocks &blocks,
                                                     const ModelReference &model);

// The same without the last: it has every name, but may be illegal (schedule/verify.h).
[[nodiscard]] Result<TimedSchedule> unverifiedScheduleFromJson(std::string_view text, const Graph &graph,
                                                               const ModelReference &model);

struct ScheduleWithBlocks {
    TimedSchedule schedule;
    Blocks blocks;
};

// The same for a schedule that comes with its model: the stages of a block say which operators it has;
// streams do not, and have the usual ones.
[[nodiscard]] Result<ScheduleWithBlocks> scheduleWithBlocksFromJson(std::string_view text, const Graph &graph,
                                                                    const Blocks &usual, const ModelReference &model);

// The batch that a schedule file was made for, before there is a model to read it with. Empty if the text is not a
// schedule or does not state it.
[[nodiscard]] std::optional<std::int64_t> batchOfSchedule(std::string_view text);
// The same for the name of its model.
[[nodiscard]] std::optional<std::string> modelOfSchedule(std::string_view text);
// The same for how the model was read; the usual one where the file does not say.
[[nodiscard]] Reading readingOfSchedule(std::string_view text);

} // namespace stagecraft
