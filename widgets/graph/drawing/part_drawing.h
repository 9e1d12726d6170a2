#pragma once

// One part of the graph (a block), laid out on its own from top to bottom. Coordinates grow right and down; the drawing
// chooses the origin. The same part always gets the same drawing.

#include <QPointF>
#include <QSizeF>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {

// Nodes and acyclic edges. Ports are nodes of size zero where edges enter at the top or leave at the bottom.
struct Part {
    std::vector<QSizeF> nodes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges; // from, to; without repeats
    std::vector<std::uint32_t> topPorts;                        // in this order, from left to right
    std::vector<std::uint32_t> bottomPorts;                     // in any order
};

// Cubic Bezier pieces: 3n + 1 points. If there is an arrow, the last point is its base.
struct Curve {
    std::vector<QPointF> points;
    std::optional<QPointF> arrowTip;
};

struct PartDrawing {
    std::vector<QPointF> centres; // one per node
    std::vector<Curve> curves;    // one per edge
};

struct Spacing {
    double node = 22; // between neighbours in a row
    double rank = 50; // between rows
    double arrow = 7; // length of an arrow head
};

// Rows by longest path, order by barycentres, positions by least squares. Near-linear in time, for parts too large for
// dot.
[[nodiscard]] PartDrawing layeredDrawing(const Part &part, const Spacing &spacing);

} // namespace stagecraft
