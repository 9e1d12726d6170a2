#pragma once

// Paints the visible part of a laid-out schedule. Only paints: no state, no hit tests. The level of detail depends on
// the size of a box: two lines, one line, or a flat rectangle.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/schedule/operator_labels.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/span_change.h"
#include "widgets/schedule/stage_marks.h"

#include <QFontMetrics>
#include <QRectF>
#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

class QPainter;

namespace stagecraft {

struct SchedulePicture {
    const Graph &graph;
    const TimedSchedule &schedule;
    const SchedulePage &layout;
    Theme theme;
    Selected selected;
    std::optional<SchedulePage::Hit> hovered;
    bool focused = false;
    const StageMarks &marks;
    const OperatorLabels &labels;
    const std::vector<TimeChange> &blockChanges; // by block header, against another schedule; empty: none
    ModelMarks models = {};

    [[nodiscard]] std::optional<double> latencyUs(std::size_t stage) const; // nullopt: not measured
};

// What a header says behind its title, in order of importance, as far as it fits; the latency always does.
struct HeaderText {
    QString latency; // "149 µs"
    QString change;  // "+4.1 µs, +2.8 %"
    QString facts;   // "8 operators, 4 stages 124 µs, 3 barriers 25.0 µs"
};
[[nodiscard]] HeaderText headerText(const SchedulePicture &picture, std::size_t header, const QFontMetrics &metrics,
                                    int width);
[[nodiscard]] QString foldText(const FoldLine &fold, const TimedSchedule &schedule); // "12 stages equal, 1.02 ms"

// `visible` is in page coordinates; the painter's origin is the page's.
void paintSchedule(QPainter &painter, const SchedulePicture &picture, const QRectF &visible);

} // namespace stagecraft
