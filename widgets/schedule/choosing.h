#pragma once

// What becomes chosen after a click or an arrow key: pure functions of the current choice and the page.

#include "widgets/base/selection.h"
#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/schedule_page.h"

#include <Qt>

#include <optional>
#include <vector>

namespace stagecraft {

// The operator under the point, else its stage.
[[nodiscard]] ChosenParts partsAt(const SchedulePage::Hit &hit);
[[nodiscard]] bool isChosenAt(const ChosenParts &chosen, const SchedulePage::Hit &hit); // the operator or its stage

// All operators in the same group as the operator; in a merge stage, all of its operators.
[[nodiscard]] std::vector<OperatorId> groupAt(const Schedule &schedule, const SchedulePage::Hit &hit);

// Shift chooses all parts from the last chosen one to this one, in page order; Ctrl adds or removes this one. Otherwise
// chooses only this one, unless it is chosen already.
[[nodiscard]] ChosenParts chosenWith(const ChosenParts &chosen, const SchedulePage &layout,
                                     const SchedulePage::Hit &hit, Qt::KeyboardModifiers keys);

// The choice after a selection in another view or by this view's keys; nullopt if it is chosen already.
[[nodiscard]] std::optional<ChosenParts> chosenElsewhere(const ChosenParts &chosen, const Selected &selected);

// Extends the choice in the direction of an arrow key; nullopt if the key does not apply.
[[nodiscard]] std::optional<ChosenParts> chosenBeyond(const ChosenParts &chosen, const SchedulePage &layout, int key);

} // namespace stagecraft
