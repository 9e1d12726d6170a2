#pragma once

// What becomes chosen after a click or an arrow key: pure functions of the current choice and the page.

#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/schedule_layout.h"
#include "widgets/selection.h"

#include <Qt>

#include <optional>
#include <vector>

namespace stagecraft {

// The operator under the point, else its stage.
[[nodiscard]] ChosenParts partsAt(const ScheduleLayout::Hit &hit);
[[nodiscard]] bool isChosenAt(const ChosenParts &chosen, const ScheduleLayout::Hit &hit); // the operator or its stage

// All operators in the same group as the operator; in a merge stage, all of its operators.
[[nodiscard]] std::vector<OperatorId> groupAt(const Schedule &schedule, const ScheduleLayout::Hit &hit);

// Shift chooses all parts from the last chosen one to this one, in page order; Ctrl adds or removes this one. Otherwise
// chooses only this one, unless it is chosen already.
[[nodiscard]] ChosenParts chosenWith(const ChosenParts &chosen, const ScheduleLayout &layout,
                                     const ScheduleLayout::Hit &hit, Qt::KeyboardModifiers keys);

// The choice after a selection in another view or by this view's keys; nullopt if it is chosen already.
[[nodiscard]] std::optional<ChosenParts> chosenElsewhere(const ChosenParts &chosen, const Selected &selected);

// Extends the choice in the direction of an arrow key; nullopt if the key does not apply.
[[nodiscard]] std::optional<ChosenParts> chosenBeyond(const ChosenParts &chosen, const ScheduleLayout &layout, int key);

} // namespace stagecraft
