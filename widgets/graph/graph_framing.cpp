#include "widgets/graph/graph_framing.h"

#include "widgets/graph/graph_hit_test.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kReadableZoom = 0.36; // the smallest zoom at which a card shows its type
constexpr QMarginsF kFramedMargins{8, 8, 8, 8};
constexpr double kFramedZoom = 0.62;      // what is around is seen, too
constexpr double kTypeAndNameZoom = 0.55; // the smallest zoom at which a card shows both

} // namespace

Viewport firstView(const Viewport &viewport, const GraphDrawing &drawing, const QMarginsF &margins)
{
    const QRectF &content = drawing.bounds;
    Viewport whole = fitted(viewport, content, margins);
    if (whole.zoom >= kReadableZoom)
        return whole;
    // Fits the width, from the top; a graph too wide for the titles of its blocks starts at its first operator.
    const double width = (viewport.size.width() - margins.left() - margins.right()) / std::max(content.width(), 1.0);
    const bool isWide = width < kTitleZoom;
    whole.zoom = isWide ? kReadableZoom : std::min(width, 0.8);
    whole.centre.setY(content.top() + (viewport.size.height() / 2 - margins.top()) / whole.zoom);
    if (isWide && !drawing.nodes.empty()) {
        const auto top = [](const DrawingNode &node) { return node.rect.top(); };
        whole.centre.setX(std::ranges::min_element(drawing.nodes, {}, top)->rect.center().x());
    }
    return whole;
}

Viewport framedView(const Viewport &viewport, const QRectF &rect, const QRectF &whole, const QMarginsF &margins)
{
    const Viewport all = fitted(viewport, whole, margins);
    return all.zoom < kTypeAndNameZoom ? fitted(viewport, rect, kFramedMargins, kFramedZoom) : all;
}

Viewport readableView(const Viewport &viewport, const QRectF &rect, const QMarginsF &reveal, const QMarginsF &margins)
{
    const Viewport shown = revealing(viewport, rect, reveal);
    return shown.zoom < kReadableZoom ? fitted(shown, rect, margins, 0.7) : shown;
}

} // namespace stagecraft
