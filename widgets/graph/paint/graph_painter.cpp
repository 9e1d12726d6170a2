#include "widgets/graph/paint/graph_painter.h"

#include "widgets/base/format.h"
#include "widgets/graph/graph_hit_test.h"
#include "widgets/graph/paint/card_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

void addCurve(QPainterPath &path, const Curve &curve)
{
    path.moveTo(curve.points.front());
    for (std::size_t i = 1; i + 2 < curve.points.size(); i += 3)
        path.cubicTo(curve.points[i], curve.points[i + 1], curve.points[i + 2]);
}

void addArrow(QPainterPath &path, const Curve &curve)
{
    if (!curve.arrowTip)
        return;
    const QPointF base = curve.points.back();
    const QPointF along = *curve.arrowTip - base;
    const QPointF across(-along.y() * 0.5, along.x() * 0.5);
    path.moveTo(*curve.arrowTip);
    path.lineTo(base + across);
    path.lineTo(base - across);
    path.closeSubpath();
}

QPointF endOf(const Curve &curve)
{
    return curve.arrowTip.value_or(curve.points.back());
}

// When zoomed out, each curve is painted as a line; with many curves, painting them would dominate the frame time.
void paintLines(QPainter &painter, const GraphScene &scene, const std::vector<std::uint32_t> &curves)
{
    std::vector<QLineF> lines;
    lines.reserve(curves.size());
    for (const std::uint32_t index : curves) {
        const Curve &curve = scene.prepared->drawing.curves[index];
        lines.emplace_back(curve.points.front(), endOf(curve));
    }
    QPen pen(scene.theme.edge, 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void paintCurves(QPainter &painter, const GraphScene &scene, const std::vector<std::uint32_t> &curves, double zoom)
{
    QPainterPath arrows;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(scene.theme.edge, std::max(1.3, 0.8 / zoom), Qt::SolidLine, Qt::FlatCap));
    for (const std::uint32_t index : curves) {
        const Curve &curve = scene.prepared->drawing.curves[index];
        QPainterPath path;
        addCurve(path, curve);
        painter.drawPath(path);
        addArrow(arrows, curve);
    }
    painter.fillPath(arrows, scene.theme.edge);
}

void paintEmphasised(QPainter &painter, const GraphScene &scene, double zoom)
{
    const GraphDrawing &drawing = scene.prepared->drawing;
    const auto paint = [&](const std::vector<std::uint32_t> &edges, bool dashed) {
        QPainterPath arrows;
        QPen pen(scene.theme.accent, std::max(2.4, 1.8 / zoom), Qt::SolidLine, Qt::FlatCap);
        if (dashed)
            pen.setDashPattern({3, 1.6});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        for (const std::uint32_t edge : edges) {
            QPainterPath path;
            for (const std::uint32_t curve : drawing.edges[edge].curves)
                addCurve(path, drawing.curves[curve]);
            addArrow(arrows, drawing.curves[drawing.edges[edge].curves.back()]);
            painter.drawPath(path);
        }
        painter.fillPath(arrows, scene.theme.accent);
    };
    paint(scene.emphasis.inputEdges, false);
    paint(scene.emphasis.outputEdges, true);
}

void paintFrames(QPainter &painter, const GraphScene &scene, const QRectF &area)
{
    QPen pen(scene.theme.border, 1);
    pen.setCosmetic(true);
    QColor fill = scene.theme.panel;
    fill.setAlphaF(0.55F);
    for (const DrawingBlock &block : scene.prepared->drawing.blocks) {
        if (block.folded || !block.frame.intersects(area))
            continue;
        painter.setPen(pen);
        painter.setBrush(fill);
        painter.drawRoundedRect(block.frame, 10, 10);
    }
}

void paintTitle(QPainter &painter, const GraphScene &scene, const QString &title, const QRectF &rect)
{
    painter.setPen(QPen(scene.theme.border, 1));
    painter.setBrush(scene.theme.canvas);
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    const QPointF mark(rect.left() + 14, rect.center().y() + 1);
    QPainterPath triangle; // an open block's triangle points down
    triangle.moveTo(mark + QPointF(-4, -3));
    triangle.lineTo(mark + QPointF(4, -3));
    triangle.lineTo(mark + QPointF(0, 3));
    painter.fillPath(triangle, scene.theme.mutedText);
    painter.setPen(scene.theme.text);
    painter.drawText(rect.adjusted(25, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, title);
}

void paintTitles(QPainter &painter, const GraphScene &scene, const QRectF &area, double zoom)
{
    const PreparedGraph &graph = *scene.prepared;
    painter.setFont(scene.fonts.title);
    for (std::size_t block = 0; block < graph.drawing.blocks.size(); ++block) {
        const BlockTitleBox box = blockTitleBox(graph, block, zoom);
        if (graph.drawing.blocks[block].folded || !box.rect.intersects(area))
            continue;
        painter.save();
        painter.translate(box.rect.topLeft());
        painter.scale(box.scale, box.scale);
        paintTitle(painter, scene, box.isShort ? blockTitle(block) : graph.labels.blockTitles[block],
                   QRectF(QPointF(0, 0), box.rect.size() / box.scale));
        painter.restore();
    }
}

void paintFlat(QPainter &painter, const GraphScene &scene, const std::vector<std::uint32_t> &nodes)
{
    const Emphasis &emphasis = scene.emphasis;
    const auto isMarked = [](const std::vector<bool> &marks, std::uint32_t node) {
        return node < marks.size() && marks[node];
    };
    // Many matches have their full colour, but no frames.
    const bool areFramed = std::ranges::count(emphasis.matches, true) <= static_cast<std::ptrdiff_t>(kMostCards);
    std::vector<std::uint32_t> raised;
    for (const std::uint32_t node : nodes) {
        const NodeStyle &style = scene.styles[node];
        const bool isMatch = isMarked(emphasis.matches, node);
        const bool isChosen = isMarked(emphasis.selected, node) || isMarked(emphasis.chosen, node);
        if (isChosen || emphasis.currentMatch == node || (isMatch && areFramed)) {
            raised.push_back(node);
            continue;
        }
        QColor fill = style.fill == scene.theme.panel ? scene.theme.edge : style.fill;
        if (emphasis.dimOthers || (!emphasis.matches.empty() && !isMatch))
            fill.setAlphaF(0.3F);
        painter.fillRect(scene.prepared->drawing.nodes[node].rect, fill);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (const std::uint32_t node : raised)
        paintCard(painter, scene, node, CardDetail::Colour);
}

void paintBadges(QPainter &painter, const GraphScene &scene, const QRectF &area, double zoom)
{
    const std::vector<QRectF> places = placeBadges(scene.badges, *scene.prepared, zoom);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const ConversionBadge &badge = scene.badges[i];
        const DrawingEdge &edge = scene.prepared->drawing.edges[badge.edge];
        if (places[i].intersects(area) && isShown(scene.emphasis, edge.from) && isShown(scene.emphasis, edge.to))
            paintBadge(painter, badge, places[i], scene.fonts.name, layoutFill(scene.theme, badge.to), scene.theme);
    }
}

} // namespace

void paintGraph(QPainter &painter, const GraphScene &scene, const Viewport &viewport, const QRectF &clip,
                std::size_t mostCards)
{
    const PreparedGraph &graph = *scene.prepared;
    const QRectF area = viewport.toScene(clip.adjusted(-8, -8, 8, 8));
    auto nodes = graph.nodeIndex.touching(area);
    if (scene.emphasis.isIsolated)
        std::erase_if(nodes, [&](std::uint32_t node) { return !isShown(scene.emphasis, node); });
    const CardDetail detail = nodes.size() > mostCards ? CardDetail::Colour : cardDetail(viewport.zoom);
    const auto curves = scene.emphasis.isIsolated ? scene.emphasis.isolatedCurves : graph.curveIndex.touching(area);

    painter.save();
    painter.translate(viewport.toView(QPointF(0, 0)));
    painter.scale(viewport.zoom, viewport.zoom);
    paintFrames(painter, scene, area);
    painter.setRenderHint(QPainter::Antialiasing, detail != CardDetail::Colour);
    if (detail == CardDetail::Colour)
        paintLines(painter, scene, curves);
    else
        paintCurves(painter, scene, curves, viewport.zoom);
    if (detail == CardDetail::Colour) {
        paintFlat(painter, scene, nodes);
        painter.setRenderHint(QPainter::Antialiasing);
    }
    paintEmphasised(painter, scene, viewport.zoom);
    if (detail != CardDetail::Colour) {
        for (const std::uint32_t node : nodes)
            paintCard(painter, scene, node, detail);
    }
    if (viewport.zoom >= kConversionZoom && detail != CardDetail::Colour)
        paintBadges(painter, scene, area, viewport.zoom);
    if (viewport.zoom >= kTitleZoom)
        paintTitles(painter, scene, area, viewport.zoom);
    painter.restore();
    if (viewport.zoom < kNameOnCardZoom)
        paintNamesBeside(painter, scene, viewport, nodes);
}

void paintOverview(QPainter &painter, const GraphScene &scene, const QRectF &target)
{
    const GraphDrawing &drawing = scene.prepared->drawing;
    painter.save();
    painter.translate(target.topLeft());
    painter.scale(target.width() / std::max(drawing.bounds.width(), 1.0),
                  target.height() / std::max(drawing.bounds.height(), 1.0));
    painter.translate(-drawing.bounds.topLeft());
    for (const DrawingBlock &block : drawing.blocks)
        painter.fillRect(block.frame, scene.theme.grid);
    for (std::size_t node = 0; node < drawing.nodes.size(); ++node) {
        const QColor fill = scene.styles[node].fill == scene.theme.panel ? scene.theme.edge : scene.styles[node].fill;
        painter.fillRect(drawing.nodes[node].rect, fill);
    }
    painter.restore();
}

} // namespace stagecraft
