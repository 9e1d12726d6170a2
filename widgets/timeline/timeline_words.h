#pragma once

// What a timeline view says about its rows. For timelines of which at least one is made.

#include "widgets/base/fact_strip.h"
#include "widgets/timeline/timeline_stack.h"

#include <QPointF>
#include <QString>

#include <vector>

namespace stagecraft {

[[nodiscard]] std::vector<Fact> timelineFacts(const TimelineStack &rows);
[[nodiscard]] QString timelineNotes(const TimelineStack &rows); // one a line
// Of what is at the point of the plot; empty: nothing.
[[nodiscard]] QString timelineTip(const TimelineStack &rows, QPointF at);

} // namespace stagecraft
