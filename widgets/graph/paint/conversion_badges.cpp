#include "widgets/graph/paint/conversion_badges.h"

#include "widgets/base/format.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kBadgeHigh = 17; // pixels
constexpr double kBadgeMargin = 6;
constexpr std::array kPlacesOnCurve{0.5, 0.35, 0.65, 0.2, 0.8};

std::optional<LayoutIndex> indexOf(const LayoutProblem &problem, TensorLayout layout)
{
    const auto found = std::ranges::find_if(
        problem.layouts, [layout](const std::string &name) { return tensorLayoutOf(name) == layout; });
    if (found == problem.layouts.end())
        return std::nullopt;
    return static_cast<LayoutIndex>(found - problem.layouts.begin());
}

// The edge on which a reader gets the tensor; nullopt: both ends are in one folded block.
std::optional<std::uint32_t> edgeOf(const Graph &graph, const PreparedGraph &prepared, const ShownConversion &made)
{
    const GraphDrawing &drawing = prepared.drawing;
    const auto terminal = [&](DrawingNode::Kind kind) {
        const auto node = std::ranges::find_if(
            drawing.nodes, [&](const DrawingNode &each) { return each.kind == kind && each.tensor == made.tensor; });
        return static_cast<std::uint32_t>(node - drawing.nodes.begin());
    };
    const OperatorId producer = graph.tensor(made.tensor).producer;
    const std::uint32_t from =
        producer.isValid() ? drawing.nodeOfOperator[producer.index()] : terminal(DrawingNode::Kind::Input);
    const std::uint32_t to =
        made.reader.isValid() ? drawing.nodeOfOperator[made.reader.index()] : terminal(DrawingNode::Kind::Output);
    if (to >= prepared.edgesInto.size())
        return std::nullopt;
    for (const std::uint32_t edge : prepared.edgesInto[to]) {
        if (drawing.edges[edge].from == from)
            return edge;
    }
    return std::nullopt;
}

std::vector<QPointF> placesOn(const Curve &curve)
{
    QPainterPath path(curve.points.front());
    for (std::size_t i = 1; i + 2 < curve.points.size(); i += 3)
        path.cubicTo(curve.points[i], curve.points[i + 1], curve.points[i + 2]);
    std::vector<QPointF> places;
    places.reserve(kPlacesOnCurve.size());
    for (const double share : kPlacesOnCurve)
        places.push_back(path.pointAtPercent(share));
    return places;
}

struct OnEdge {
    const ShownConversion *shown = nullptr; // the first that is made here, else the first that is read here
    std::int64_t made = 0;
    double us = 0; // of those
    bool isKnown = true;

    void add(const ShownConversion &reading, const LayoutCosts *costs)
    {
        if (!shown || (made == 0 && reading.isFirst))
            shown = &reading;
        if (!reading.isFirst)
            return;
        ++made;
        const auto taken = conversionUs(costs, reading);
        us += taken.value_or(0);
        isKnown = isKnown && taken;
    }
};

QString textOf(const OnEdge &on)
{
    const QString to = layoutText(on.shown->to);
    if (on.made == 0)
        return QStringLiteral("%1 copy").arg(to);
    const QString cost = on.isKnown ? QStringLiteral(" %1").arg(latencyText(on.us)) : QString();
    return (on.made > 1 ? plural(on.made, "conversion") : QStringLiteral("→ %1").arg(to)) + cost;
}

} // namespace

std::optional<double> conversionUs(const LayoutCosts *costs, const ShownConversion &conversion)
{
    if (!costs || conversion.tensor.index() >= costs->problem.tensors.size())
        return std::nullopt;
    const LayoutProblem &problem = costs->problem;
    const auto from = indexOf(problem, conversion.from);
    const auto to = indexOf(problem, conversion.to);
    if (!from || !to)
        return std::nullopt;
    const double us = problem.conversionUs(static_cast<std::uint32_t>(conversion.tensor.index()), *from, *to);
    return us == kImpossible ? std::nullopt : std::optional(us);
}

std::vector<ConversionBadge> conversionBadges(const Graph &graph, const PreparedGraph &prepared,
                                              const ShownLayouts &layouts, const LayoutCosts *costs, const QFont &font)
{
    std::vector<std::pair<std::uint32_t, OnEdge>> edges;
    for (const ShownConversion &reading : layouts.readings) {
        const auto edge = edgeOf(graph, prepared, reading);
        if (!edge)
            continue;
        auto on = std::ranges::find(edges, *edge, &std::pair<std::uint32_t, OnEdge>::first);
        if (on == edges.end())
            on = edges.insert(edges.end(), {*edge, {}});
        on->second.add(reading, costs);
    }
    const QFontMetricsF metrics(font);
    std::vector<ConversionBadge> badges;
    badges.reserve(edges.size());
    for (const auto &[edge, on] : edges) {
        const QString text = textOf(on);
        const Curve &last = prepared.drawing.curves[prepared.drawing.edges[edge].curves.back()];
        badges.push_back({edge, text, on.shown->to, metrics.horizontalAdvance(text), placesOn(last)});
    }
    return badges;
}

std::vector<QRectF> placeBadges(const std::vector<ConversionBadge> &badges, const PreparedGraph &prepared, double zoom)
{
    const double scale = 1 / std::min(zoom, 1.0); // as large as the window's text when zoomed out
    std::vector<QRectF> placed;
    placed.reserve(badges.size());
    for (const ConversionBadge &badge : badges) {
        const QSizeF size = QSizeF(badge.width + 2 * kBadgeMargin, kBadgeHigh) * scale;
        const auto at = [&](const QPointF &place) {
            return QRectF(place - QPointF(size.width() / 2, size.height() / 2), size);
        };
        const auto isOnBadge = [&](const QRectF &rect) {
            return std::ranges::any_of(placed, [&](const QRectF &other) { return other.intersects(rect); });
        };
        const auto isOnCard = [&](const QRectF &rect) {
            return std::ranges::any_of(prepared.nodeIndex.touching(rect), [&](std::uint32_t node) {
                return prepared.drawing.nodes[node].rect.intersects(rect);
            });
        };
        QRectF rect; // no room
        for (const QPointF &place : badge.places) {
            if (isOnBadge(at(place)))
                continue;
            if (!isOnCard(at(place))) {
                rect = at(place);
                break;
            }
            if (rect.isNull())
                rect = at(place);
        }
        placed.push_back(rect);
    }
    return placed;
}

void paintBadge(QPainter &painter, const ConversionBadge &badge, const QRectF &rect, const QFont &font,
                const QColor &fill, const Theme &theme)
{
    const double scale = rect.height() / kBadgeHigh;
    painter.save();
    painter.translate(rect.topLeft());
    painter.scale(scale, scale);
    const QRectF own(QPointF(0, 0), rect.size() / scale);
    painter.setPen(QPen(mixed(fill, theme.dark ? Qt::white : Qt::black, 0.28), 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(own, own.height() / 2, own.height() / 2);
    painter.setPen(theme.onFill(fill));
    painter.setFont(font);
    painter.drawText(own, Qt::AlignCenter, badge.text);
    painter.restore();
}

} // namespace stagecraft
