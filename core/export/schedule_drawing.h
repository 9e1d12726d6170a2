#pragma once

// A schedule as a drawing: stages down the page, groups side by side, merged operators in one framed box, the latency
// of a stage as a bar. Of streams: streams side by side, launch order down the page, events as arrows. Plain shapes,
// for SVG (export/schedule_svg.h) and for anything that paints them. Text is fitted to DejaVu Sans. Coordinates are
// units of 1/96 inch, colours 0xrrggbb.

#include "graph/graph.h"
#include "results/rated_result.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct DrawnBox {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    double radius = 0;
    int fill = 0;
    std::optional<int> frame;
    std::string tip; // what the pointer shows; may be empty
};

struct DrawnText {
    double x = 0;
    double y = 0; // of its base line
    std::string text;
    double size = 0;
    bool isBold = false;
    int colour = 0;
};

// A curve that leaves and arrives straight down, with a head at its end.
struct DrawnArrow {
    double fromX = 0;
    double fromY = 0;
    double toX = 0;
    double toY = 0;
    int colour = 0;

    static constexpr double kHead = 5; // its length
    [[nodiscard]] double bend() const; // how far down the curve is led at both ends
};

struct ScheduleDrawing {
    double width = 0;
    double height = 0;
    int background = 0;
    std::vector<DrawnArrow> arrows = {}; // below the boxes
    std::vector<DrawnBox> boxes;         // below the texts
    std::vector<DrawnText> texts;
};

[[nodiscard]] ScheduleDrawing drawSchedule(const Graph &graph, const RatedResult &result, bool dark);

} // namespace stagecraft
