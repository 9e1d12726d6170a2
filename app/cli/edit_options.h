#pragma once

// Parses edits and stages as typed: "conv3:2", "1:conv1,conv2", "4,5". Stages are counted from 1, as on screen;
// operator names may contain commas and colons.

#include "cli/command_line.h"
#include "cli/scheduled_model.h"
#include "graph/graph.h"
#include "schedule/edit/edit.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct TypedEdit {
    std::string option; // "--move"
    std::string value;
};

// `schedule`: before the edit. WrongUse: a value in another form, stage 0, an edit of stages for streams or the other
// way. InvalidInput: operators that the model does not have, with a
// suggestion. Errors name the option.
[[nodiscard]] Result<Edit> editFrom(const TypedEdit &typed, const Graph &graph, const Schedule &schedule);

// "3": a number from 1, as an index from 0. WrongUse, as "x is not the number of a launch", without the name of the
// option.
[[nodiscard]] Result<std::size_t> numberFrom(std::string_view text, const char *what, const char *remedy);
// "2,5": numbers from 1, as indices from 0. WrongUse, without the name of the option.
[[nodiscard]] Result<std::vector<std::size_t>> stageNumbers(std::string_view text);

struct EditedByHand {
    std::vector<std::string> words; // of all edits
    TimedSchedule schedule;
    std::vector<std::size_t> changed;  // stages that are new
    std::optional<double> unsplitUs{}; // what the whole took before operators were split (cli/edit_splits.h)
};

// All edits, in their order. `spec`: the schedule, as it was named. Errors name the option.
[[nodiscard]] Result<EditedByHand> edited(const ScheduledModel &opened, const std::string &spec,
                                          const std::vector<TypedEdit> &edits);

} // namespace stagecraft
