#pragma once

// The answer of "edit", as JSON and for people.

#include "cli/command_line.h"
#include "cli/edit_options.h"
#include "flow/compare_edit.h"
#include "schedule/compare/spans.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// A span of both schedules in which they differ.
struct EditedSpan {
    CommonSpan span; // side A: the original
    std::optional<double> beforeUs;
    double us = 0;
};

[[nodiscard]] std::vector<EditedSpan> editedSpans(const Schedule &original, const Schedule &measured,
                                                  bool isOriginalKnown);

[[nodiscard]] Json editJson(const ScheduledModel &opened, const EditedByHand &byHand,
                            const std::optional<EditOutcome> &measured, const std::vector<EditedSpan> &spans,
                            const std::string &file);
// `from`: the schedule that was edited, as it was named.
void printEdit(const std::string &from, const ScheduledModel &opened, const EditedByHand &byHand,
               const std::optional<EditOutcome> &measured, const std::vector<EditedSpan> &spans);

} // namespace stagecraft
