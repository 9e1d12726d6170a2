#pragma once

// One part of the graph (a block) laid out by itself, from top to bottom. Coordinates grow to the right and down; where
// the origin lies is left to the layout. The same part always gets the same layout.

#include <QPointF>
#include <QSizeF>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {

// Nodes and acyclic edges. Ports are nodes of no size where edges enter at the top or leave at the bottom.
struct Part {
    std::vector<QSizeF> nodes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges; // from, to; without repeats
    std::vector<std::uint32_t> topPorts;                        // in this order from left to right
    std::vector<std::uint32_t> bottomPorts;                     // in whatever order suits
};

// Cubic Bezier pieces: 3n + 1 points. With an arrow the last point is the arrow's base.
struct Curve {
    std::vector<QPointF> points;
    std::optional<QPointF> arrowTip;
};

struct PartLayout {
    std::vector<QPointF> centres; // one per node
    std::vector<Curve> curves;    // one per edge
};

struct Spacing {
    double node = 22; // between neighbours side by side
    double rank = 50; // between rows
    double arrow = 7; // length of an arrow head
};

// Rows by longest path, order by barycentres, places by least squares: near-linear in time, for parts too large for
// dot.
[[nodiscard]] PartLayout layeredLayout(const Part &part, const Spacing &spacing);

} // namespace stagecraft
