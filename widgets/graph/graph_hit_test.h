#pragma once

// What lies under a point of the drawing, as pure functions of the layout.

#include "widgets/graph/paint/graph_scene.h"

#include <QPointF>
#include <QRectF>

#include <cstdint>
#include <optional>

namespace stagecraft {

struct GraphHit {
    enum class Kind { Nothing, Node, BlockTitle };

    Kind kind = Kind::Nothing;
    std::uint32_t node = 0; // Node
    std::size_t block = 0;  // for BlockTitle, and for Node if it is a folded block

    friend bool operator==(const GraphHit &, const GraphHit &) = default;
};

inline constexpr double kTitleZoom = 0.2; // below it block titles are unreadable and not drawn

struct BlockTitleBox {
    QRectF rect;
    double scale = 1;
    bool isShort = false; // only the block's number
};

// For unfolded blocks: on the upper border of the frame. Grows as the zoom falls, to stay readable, but stays in the
// frame.
[[nodiscard]] BlockTitleBox blockTitleBox(const PreparedGraph &graph, std::size_t block, double zoom);

// `slackPx`: view pixels around a node that still count as a hit, for small cards; the nearest node wins.
[[nodiscard]] GraphHit hitTest(const PreparedGraph &graph, const QPointF &scenePoint, double zoom, double slackPx);

enum class Direction { Up, Down, Left, Right };
[[nodiscard]] std::optional<Direction> directionOf(int key); // of an arrow key

// Where an arrow key leads from a node: up and down follow an edge to the straightest neighbour, left and right go to
// the nearest node at the same height.
[[nodiscard]] std::optional<std::uint32_t> nextNode(const PreparedGraph &graph, std::uint32_t from,
                                                    Direction direction);

} // namespace stagecraft
