#pragma once

// Paints the visible part of a laid-out schedule. Only paints: no state, no hit tests. The level of detail depends on
// the size of a box: two lines, one line, or a flat rectangle.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "widgets/schedule/schedule_layout.h"
#include "widgets/schedule/stage_marks.h"
#include "widgets/selection.h"
#include "widgets/theme.h"

#include <QRectF>
#include <QString>

#include <optional>

class QPainter;

namespace stagecraft {

struct SchedulePicture {
    const Graph &graph;
    const Schedule &schedule;
    const ScheduleLayout &layout;
    Theme theme;
    Selected selected;
    std::optional<ScheduleLayout::Hit> hovered;
    bool focused = false;
    const StageMarks &marks;

    [[nodiscard]] std::optional<double> latencyUs(std::size_t stage) const; // nullopt: not measured
};

[[nodiscard]] QString foldText(const FoldLine &fold, const Schedule &schedule); // "12 stages equal, 1.02 ms"

// `visible` is in page coordinates; the painter's origin is the page's.
void paintSchedule(QPainter &painter, const SchedulePicture &picture, const QRectF &visible);

} // namespace stagecraft
