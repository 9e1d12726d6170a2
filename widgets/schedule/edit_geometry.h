#pragma once

// Where operators can be dropped on the page of a schedule: into a stage, or, in the outer quarters of its row, into a
// new stage before or after it. Pure functions of the layout.

#include "schedule/edit/edit_places.h"
#include "widgets/schedule/schedule_page.h"

#include <QPointF>
#include <QRectF>

#include <optional>
#include <vector>

namespace stagecraft {

// nullopt if the page has no rows.
[[nodiscard]] std::optional<EditPlace> placeAt(const SchedulePage &layout, QPointF point);

// The row, or a bar between two rows. `block`: that of the operators; between two blocks the bar is on that block's
// side.
[[nodiscard]] QRectF placeRect(const SchedulePage &layout, const Schedule &schedule, const EditPlace &place,
                               std::size_t block);

// The lane (group) of a row under the point, also between and below its boxes. nullopt outside lanes, on a box, or in a
// merge stage, which has only one lane.
[[nodiscard]] std::optional<std::size_t> laneAt(const SchedulePage &layout, const StageRow &row, QPointF point);

// What a mouse press grabs: an operator, the lane of a group, a stage by its number, or nothing.
enum class Grab { Operator, Lane, Stage, Empty };

struct Grabbed {
    Grab what = Grab::Empty;
    std::optional<SchedulePage::Hit> hit; // what is under the point, even if nothing is grabbed
    std::size_t lane = 0;                 // for Lane: its group
};

[[nodiscard]] Grabbed grabbedAt(const SchedulePage &layout, QPointF point);

// Operators whose boxes touch the rectangle, top to bottom.
[[nodiscard]] std::vector<OperatorId> operatorsIn(const SchedulePage &layout, const QRectF &rect);

} // namespace stagecraft
