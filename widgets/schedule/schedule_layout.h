#pragma once

// Where everything of a schedule lies on the page, as plain values: stages down the page, groups as lanes side by side,
// operators as boxes in their lane, a merge stage as one box with a cell per operator. Coordinates are pixels from the
// top left of the page; rows and boxes are ascending by y, so a view finds what is visible by bisection.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "widgets/schedule/row_places.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct OperatorBox {
    QRectF rect;
    OperatorId op;
    std::size_t stage = 0;
    std::size_t group = 0;
    bool merged = false; // a cell of the stage's one box
};

struct StageRow {
    std::size_t stage = 0;
    QRectF rect;   // the whole row; without height and boxes where it is folded away
    QRectF gutter; // stage number, latency, bar
    QRectF lanes;  // from the first lane to the last
    std::size_t firstBox = 0;
    std::size_t boxCount = 0;
};

struct BlockHeader {
    std::size_t block = 0;
    QRectF rect;
    std::size_t operators = 0;
    std::size_t stages = 0;
    std::optional<double> latencyUs; // sum of its stages, once measured
};

// Stages that are the same in the schedules beside it, folded into this line or listed below it.
struct FoldLine {
    QRectF rect;
    StageRange stages;
    std::size_t firstSpan = 0;
    bool isFolded = false;
    std::optional<double> latencyUs; // sum of the stages, once measured
};

struct ScheduleLayout {
    std::vector<BlockHeader> headers;
    std::vector<FoldLine> folds;  // beside others
    std::vector<SpanPlace> spans; // likewise
    std::vector<StageRow> rows;
    std::vector<OperatorBox> boxes;
    QSizeF size;
    double slowestStageUs = 0; // what a full bar stands for; 0 until measured

    // The operator under the point, or just the stage; nothing outside rows.
    struct Hit {
        std::size_t stage = 0;
        std::optional<OperatorId> op;
    };
    [[nodiscard]] std::optional<Hit> at(QPointF point) const;
    [[nodiscard]] const FoldLine *foldAt(QPointF point) const; // null: there is none

    // Rows that touch [top, bottom] as first and one-past-last index.
    [[nodiscard]] std::pair<std::size_t, std::size_t> rowsBetween(double top, double bottom) const;
};

// How far the boxes of a row reach.
struct RowLengths {
    bool areLatencies = false; // else every row has the width of the page
    double fullUs = 0;         // of latencies: what that width stands for; 0: the slowest stage

    friend bool operator==(const RowLengths &, const RowLengths &) = default;
};

// `zoom` scales boxes; the page is at least `viewWidth` wide, lanes share what the gutter leaves and never get narrower
// than a readable box (times zoom), so a page of many lanes is wider. `places`: where rows lie beside other schedules;
// in a narrow pane, and where lengths are latencies, lanes get narrower than a name.
[[nodiscard]] ScheduleLayout layoutSchedule(const Schedule &schedule, double viewWidth, double zoom,
                                            const RowPlaces *places = nullptr, RowLengths lengths = {});

[[nodiscard]] double headerHeight(double zoom);
[[nodiscard]] double rowHeight(const Stage &stage, double zoom);
[[nodiscard]] double foldLineHeight(double zoom);

// Index of each operator's stage; schedule.stages.size() for an operator that is not in the schedule.
[[nodiscard]] std::vector<std::size_t> stageOfOperator(const Graph &graph, const Schedule &schedule);

} // namespace stagecraft
