#pragma once

// Positions of everything on the page of a stream schedule, as plain values: streams are lanes side by side, down the
// page is launch order (launchRows), events are arrows from the end of one launch to the start of another.
// Coordinates are pixels from the top left of the page.

#include "schedule/streams/streams.h"
#include "widgets/schedule/row_places.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct EventArrow {
    std::size_t from = 0; // launches
    std::size_t to = 0;
    QPointF start;
    QPointF end;
};

struct StreamLane {
    QRectF rect; // the whole lane, from the top of the page to its end
    std::size_t operators = 0;
};

struct StreamsPage {
    double headerHeight = 0; // of the line with the names of the lanes
    std::vector<StreamLane> lanes;
    std::vector<std::size_t> rows; // by launch
    std::vector<QRectF> boxes;     // by launch; ascending by row
    std::vector<EventArrow> arrows;
    QSizeF size;

    [[nodiscard]] std::optional<std::size_t> launchAt(QPointF point) const;
};

// `zoom` scales boxes. Lanes share the width of the view and stay at least as wide as a readable box (times zoom).
// `places`: beside stages, where spans of launches start (row_places.h); else rows follow each other.
[[nodiscard]] StreamsPage streamsPage(const Streams &streams, double viewWidth, double zoom,
                                      const RowPlaces *places = nullptr);

[[nodiscard]] double laneHeaderHeight(double zoom);
[[nodiscard]] double launchRowHeight(double zoom); // with the gap to the next one

} // namespace stagecraft
