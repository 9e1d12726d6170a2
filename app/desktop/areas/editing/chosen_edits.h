#pragma once

// The edits that menu entries make of the chosen parts of a schedule, which `context` holds; an error says why an entry
// makes no sense. Whether an edit is legal, tryEdit says.

#include "schedule/edit/edit.h"
#include "search/result.h"
#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/planned_move.h"

#include <cstddef>
#include <vector>

namespace stagecraft {

// The resulting stages, or why they cannot be: InvalidInput also if nothing would change.
[[nodiscard]] Result<EditedStages> tryEdit(const EditContext &context, const Edit &edit);

[[nodiscard]] Result<Edit> splitChosen(const EditContext &context, const ChosenParts &chosen);
[[nodiscard]] Result<Edit> joinChosen(const EditContext &context, const ChosenParts &chosen, bool unmerge);
// Merges the stages, or fuses them; those that all are run concurrently.
[[nodiscard]] Result<Edit> toggleStrategyOfChosen(const EditContext &context, const ChosenParts &chosen,
                                                  Strategy strategy);
// Moves operators into the neighbouring stage, or whole stages past it.
[[nodiscard]] Result<Edit> shiftChosen(const EditContext &context, const ChosenParts &chosen, bool later);
// `origin`: what the schedule was edited from; null: nothing.
[[nodiscard]] Result<Edit> resetChosen(const EditContext &context, const ChosenParts &chosen, const Schedule *origin,
                                       bool wholeBlock);
[[nodiscard]] Result<Edit> resetEverything(const EditContext &context, const Schedule *origin);
// Tries the cheapest runner-up of the search that shares operators with the chosen stage.
[[nodiscard]] Result<Edit> tryBestRunnerUp(const EditContext &context, const ChosenParts &chosen,
                                           const std::vector<BlockSearch> &search);

// All stages of their blocks, ascending.
[[nodiscard]] std::vector<std::size_t> withWholeBlocks(const std::vector<std::size_t> &some, const Schedule &schedule);

} // namespace stagecraft
