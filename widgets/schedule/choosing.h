#pragma once

// What is chosen next, when something is clicked or an arrow is pressed: pure functions of what is chosen now and of
// the page.

#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/schedule_layout.h"
#include "widgets/selection.h"

#include <Qt>

#include <optional>
#include <vector>

namespace stagecraft {

// The operator, else its stage.
[[nodiscard]] ChosenParts partsAt(const ScheduleLayout::Hit &hit);
[[nodiscard]] bool isChosenAt(const ChosenParts &chosen, const ScheduleLayout::Hit &hit); // it or its stage

// What runs in one group with the operator: in a merge stage all.
[[nodiscard]] std::vector<OperatorId> groupAt(const Schedule &schedule, const ScheduleLayout::Hit &hit);

// With Shift all from what was chosen last to this, in the order of the page; with Ctrl one more or less; else only
// this, unless it is chosen.
[[nodiscard]] ChosenParts chosenWith(const ChosenParts &chosen, const ScheduleLayout &layout,
                                     const ScheduleLayout::Hit &hit, Qt::KeyboardModifiers keys);

// What is selected in another view, or by the keys of this one; nothing: it is among what is chosen.
[[nodiscard]] std::optional<ChosenParts> chosenElsewhere(const ChosenParts &chosen, const Selected &selected);

// One more in the direction of an arrow key; nothing where the key says nothing to what is chosen.
[[nodiscard]] std::optional<ChosenParts> chosenBeyond(const ChosenParts &chosen, const ScheduleLayout &layout, int key);

} // namespace stagecraft
