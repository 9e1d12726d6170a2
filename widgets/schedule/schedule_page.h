#pragma once

// Positions of everything on the page of a schedule, as plain values: stages down the page, groups as lanes side by
// side, operators as boxes in their lane, a merge stage as one box with a cell per operator. Beside other schedules,
// where lanes would be narrower than a name, a stage is a list instead: an operator a line, groups below each other.
// Coordinates are pixels from the top left of the page; rows are ascending by y, so views find the visible ones by
// bisection.

#include "graph/graph.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/timed_schedule.h"
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
    bool merged = false; // a cell in the box of a merge stage
};

struct StageRow {
    std::size_t stage = 0;
    QRectF rect;   // the whole row; without height and boxes if folded away
    QRectF gutter; // stage number, latency, bar
    QRectF lanes;  // from the first to the last lane
    std::size_t firstBox = 0;
    std::size_t boxCount = 0;
    bool isList = false; // an operator a line
};

struct BlockHeader {
    std::size_t block = 0;
    QRectF rect;
    std::size_t operators = 0;
    std::size_t stages = 0;
    std::optional<LatencyParts> parts; // once measured
};

// Stages equal in all compared schedules, folded into this line or listed below it.
struct FoldLine {
    QRectF rect;
    StageRange stages;
    std::size_t firstSpan = 0;
    bool isFolded = false;
    std::optional<double> latencyUs; // sum of the stages, once measured
};

struct SchedulePage {
    std::vector<BlockHeader> headers;
    std::vector<FoldLine> folds;  // only side by side
    std::vector<SpanPlace> spans; // only side by side
    std::vector<StageRow> rows;
    std::vector<OperatorBox> boxes;
    QSizeF size;
    double slowestStageUs = 0; // the latency of a full bar; 0 until measured

    // The operator under the point, or only the stage; nullopt outside rows.
    struct Hit {
        std::size_t stage = 0;
        std::optional<OperatorId> op;

        friend bool operator==(const Hit &, const Hit &) = default;
    };
    [[nodiscard]] std::optional<Hit> at(QPointF point) const;
    [[nodiscard]] const FoldLine *foldAt(QPointF point) const; // null if there is none
    [[nodiscard]] const BlockHeader *headerAt(QPointF point) const;

    // Rows that touch [top, bottom], as first and one-past-last index.
    [[nodiscard]] std::pair<std::size_t, std::size_t> rowsBetween(double top, double bottom) const;
};

// The width of the boxes in a row.
struct RowLengths {
    bool areLatencies = false; // if false, every row has the width of the page
    double fullUs = 0;         // if latencies: what that width stands for; 0: the slowest stage

    friend bool operator==(const RowLengths &, const RowLengths &) = default;
};

// `zoom` scales boxes. The page is at least `viewWidth` wide; lanes share the width beside the gutter and stay at least
// as wide as a readable box (times zoom), so a page with many lanes is wider. `places`: row positions next to other
// schedules. In a narrow pane, or if lengths are latencies, lanes may be narrower than a name.
[[nodiscard]] SchedulePage schedulePage(const TimedSchedule &schedule, double viewWidth, double zoom,
                                        const RowPlaces *places = nullptr, RowLengths lengths = {});

[[nodiscard]] double headerHeight(double zoom);
// `besideWidth`: of the page, beside other schedules (RowPlaces::width).
[[nodiscard]] double rowHeight(const Stage &stage, double zoom, double besideWidth = kAnyWidth);
[[nodiscard]] double foldLineHeight(double zoom);

// The stage index of each operator; schedule.stages.size() if the operator is not in the schedule.
[[nodiscard]] std::vector<std::size_t> stageOfOperator(const Graph &graph, const TimedSchedule &schedule);

} // namespace stagecraft
