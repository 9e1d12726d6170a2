#pragma once

// Where on the page of a schedule operators can be put down: into a stage, or, in the outer quarters of its row, into
// one of their own before or behind it. Pure functions of the layout.

#include "schedule/edit_places.h"
#include "widgets/schedule/schedule_layout.h"

#include <QPointF>
#include <QRectF>

#include <optional>
#include <vector>

namespace stagecraft {

// Nothing: the page has no rows.
[[nodiscard]] std::optional<EditPlace> placeAt(const ScheduleLayout &layout, QPointF point);

// The row, or a bar between two rows. `block`: of the operators; between two blocks the bar is on its side.
[[nodiscard]] QRectF placeRect(const ScheduleLayout &layout, const Schedule &schedule, const EditPlace &place,
                               std::size_t block);

// The lane of a row under the point, between and below its boxes, too: its group. Nothing beside lanes, on a box, or in
// a merge stage, which has one lane.
[[nodiscard]] std::optional<std::size_t> laneAt(const ScheduleLayout &layout, const StageRow &row, QPointF point);

// What a press takes hold of: an operator, the lane of a group, a stage by its number, or nothing.
enum class Grab { Operator, Lane, Stage, Empty };

struct Grabbed {
    Grab what = Grab::Empty;
    std::optional<ScheduleLayout::Hit> hit; // what is there, also where nothing is taken hold of
    std::size_t lane = 0;                   // of a lane: its group
};

[[nodiscard]] Grabbed grabbedAt(const ScheduleLayout &layout, QPointF point);

// Operators whose boxes touch the rectangle, top to bottom.
[[nodiscard]] std::vector<OperatorId> operatorsIn(const ScheduleLayout &layout, const QRectF &rect);

} // namespace stagecraft
