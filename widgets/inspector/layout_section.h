#pragma once

// What an operator takes in each layout, on its page of the inspector.

#include "search/layouts/layout_choice.h"
#include "widgets/base/inspector_page.h"

#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {

struct LayoutFacts {
    std::shared_ptr<const LayoutChoice> choice; // null: nothing is known
    bool isOfSchedule = false;                  // the schedule states it; else only its costs say something
    std::vector<std::pair<OperatorId, LayoutReason>> reasons; // of the choice, known so far
};

// It was chosen as it takes least alone.
[[nodiscard]] bool runsFastest(const LayoutChoice &choice, OperatorId op);

// "NHWC → NHWC alone is 12.1 µs faster, but with it the whole takes 28.5 µs more: 2 more conversions take 40.6 µs, all
// operators together 12.1 µs less."
[[nodiscard]] QString reasonText(const LayoutChoice &choice, OperatorId op, const LayoutReason &reason);

// No rows if nothing is known, or if the operator has no choice.
[[nodiscard]] InspectorSection layoutSection(const LayoutFacts &facts, OperatorId op);

} // namespace stagecraft
