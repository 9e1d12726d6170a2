#pragma once

// What is chosen next, when something is clicked or an arrow is pressed: pure functions of what is chosen now and of
// the page.

#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/schedule_layout.h"

#include <Qt>

#include <optional>

namespace stagecraft {

// The operator, else its stage.
[[nodiscard]] ChosenParts partsAt(const ScheduleLayout::Hit &hit);
[[nodiscard]] bool isChosenAt(const ChosenParts &chosen, const ScheduleLayout::Hit &hit); // it or its stage

// With Shift all from what was chosen last to this, in the order of the page; with Ctrl one more or less; else only
// this, unless it is chosen.
[[nodiscard]] ChosenParts chosenWith(const ChosenParts &chosen, const ScheduleLayout &layout,
                                     const ScheduleLayout::Hit &hit, Qt::KeyboardModifiers keys);

// One more in the direction of an arrow key; nothing where the key says nothing to what is chosen.
[[nodiscard]] std::optional<ChosenParts> chosenBeyond(const ChosenParts &chosen, const ScheduleLayout &layout, int key);

} // namespace stagecraft
