#include "widgets/graph/graph_hit_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {
namespace {

constexpr double kTitleHeight = 24;
constexpr double kTitleInset = 12;
constexpr double kReadableTitleZoom = 0.85;
constexpr double kMaxTitleScale = 3.2; // larger titles would cover the first row of cards

double distance(const QRectF &rect, const QPointF &point)
{
    const double dx = std::max({rect.left() - point.x(), 0.0, point.x() - rect.right()});
    const double dy = std::max({rect.top() - point.y(), 0.0, point.y() - rect.bottom()});
    return std::hypot(dx, dy);
}

} // namespace

BlockTitleBox blockTitleBox(const PreparedGraph &graph, std::size_t block, double zoom)
{
    const QRectF &frame = graph.drawing.blocks[block].frame;
    const double room = frame.width() - 2 * kTitleInset;
    const double wished = std::clamp(kReadableTitleZoom / zoom, 1.0, kMaxTitleScale);
    BlockTitleBox box;
    double width = graph.labels.sizes.titleWidths[block];
    box.isShort = wished * width > room && wished > 1;
    if (box.isShort)
        width = graph.labels.shortTitleWidths[block];
    box.scale = std::max(1.0, std::min(wished, room / width));
    box.rect = {frame.left() + kTitleInset, frame.top() - box.scale * kTitleHeight / 2, box.scale * width,
                box.scale * kTitleHeight};
    return box;
}

GraphHit hitTest(const PreparedGraph &graph, const QPointF &scenePoint, double zoom, double slackPx)
{
    const double slack = slackPx / zoom;
    const GraphDrawing &drawing = graph.drawing;
    const QRectF around(scenePoint - QPointF(slack, slack), QSizeF(2 * slack, 2 * slack));
    double nearest = slack;
    GraphHit hit;
    for (const std::uint32_t node : graph.nodeIndex.touching(around)) {
        const double away = distance(drawing.nodes[node].rect, scenePoint);
        if (away < nearest || (away <= nearest && hit.kind == GraphHit::Kind::Nothing)) {
            nearest = away;
            hit = {GraphHit::Kind::Node, node,
                   drawing.nodes[node].kind == DrawingNode::Kind::FoldedBlock ? drawing.nodes[node].block : 0};
        }
    }
    if (hit.kind == GraphHit::Kind::Node && nearest <= 0)
        return hit;
    for (std::size_t block = 0; zoom >= kTitleZoom && block < drawing.blocks.size(); ++block) {
        if (!drawing.blocks[block].folded && blockTitleBox(graph, block, zoom).rect.contains(scenePoint))
            return {GraphHit::Kind::BlockTitle, 0, block};
    }
    return hit;
}

std::optional<Direction> directionOf(int key)
{
    switch (key) {
    case Qt::Key_Up: return Direction::Up;
    case Qt::Key_Down: return Direction::Down;
    case Qt::Key_Left: return Direction::Left;
    case Qt::Key_Right: return Direction::Right;
    default: return std::nullopt;
    }
}

std::optional<std::uint32_t> nextNode(const PreparedGraph &graph, std::uint32_t from, Direction direction)
{
    const GraphDrawing &drawing = graph.drawing;
    const QPointF start = drawing.nodes[from].rect.center();
    std::optional<std::uint32_t> best;
    double least = std::numeric_limits<double>::max();
    const auto consider = [&](std::uint32_t node, double cost) {
        if (node != from && cost < least) {
            least = cost;
            best = node;
        }
    };
    if (direction == Direction::Up || direction == Direction::Down) {
        const auto &edges = direction == Direction::Down ? graph.edgesFrom[from] : graph.edgesInto[from];
        for (const std::uint32_t edge : edges) {
            const std::uint32_t other =
                direction == Direction::Down ? drawing.edges[edge].to : drawing.edges[edge].from;
            const QPointF way = drawing.nodes[other].rect.center() - start;
            consider(other, 2 * std::abs(way.x()) + std::abs(way.y()));
        }
        return best;
    }
    const QRectF &rect = drawing.nodes[from].rect;
    const QRectF band = direction == Direction::Left
                            ? QRectF(QPointF(drawing.bounds.left(), rect.top()), rect.bottomLeft())
                            : QRectF(rect.topRight(), QPointF(drawing.bounds.right(), rect.bottom()));
    for (const std::uint32_t node : graph.nodeIndex.touching(band)) {
        const QPointF way = drawing.nodes[node].rect.center() - start;
        if (direction == Direction::Left ? way.x() < 0 : way.x() > 0)
            consider(node, std::abs(way.x()) + 2 * std::abs(way.y()));
    }
    return best;
}

} // namespace stagecraft
