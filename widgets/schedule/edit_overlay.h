#pragma once

// Paints the overlay for manual editing of a schedule: chosen parts, possible targets of a move, operators in the way,
// and their labels; also the marks of rows. Only paints.

#include "widgets/base/theme.h"
#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/planned_move.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/stage_marks.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

class QPainter;

namespace stagecraft {

struct EditOverlay {
    const Graph &graph;
    const TimedSchedule &schedule;
    const SchedulePage &layout;
    Theme theme;
    const ChosenParts &chosen;
    const std::vector<OperatorId> *moving = nullptr; // null: no move in progress
    std::size_t block = 0;                           // of the moved operators
    const std::vector<EditPlaceAnswer> *places = nullptr;
    const PlannedMove *plan = nullptr;
    std::optional<QRectF> band = std::nullopt;
    QString said = {};
    QPointF saidAt = {};
};

// For both functions: the painter's origin is the page's, `visible` is in page coordinates.
void paintEditOverlay(QPainter &painter, const EditOverlay &picture, const QRectF &visible);
void paintMarks(QPainter &painter, const SchedulePage &layout, const StageMarks &marks, const Theme &theme,
                const QRectF &visible);

void paintPin(QPainter &painter, QPointF at, const Theme &theme); // the top left of its place

// A text in a box near `at`, within what is visible.
void paintNote(QPainter &painter, const Theme &theme, const QString &text, QPointF at, const QRectF &visible,
               bool isRefused);

} // namespace stagecraft
