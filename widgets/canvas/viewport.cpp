#include "widgets/canvas/viewport.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

QPointF middle(const QSizeF &size)
{
    return {size.width() / 2, size.height() / 2};
}

// The shift that makes the interval [low, high] cover, or lie within, [first, last].
double shiftInto(double low, double high, double first, double last)
{
    if (first < low)
        return first - low;
    if (last > high)
        return last - high;
    return 0;
}

} // namespace

QPointF Viewport::toView(const QPointF &scene) const
{
    return (scene - centre) * zoom + middle(size);
}

QRectF Viewport::toView(const QRectF &scene) const
{
    return {toView(scene.topLeft()), scene.size() * zoom};
}

QPointF Viewport::toScene(const QPointF &view) const
{
    return (view - middle(size)) / zoom + centre;
}

QRectF Viewport::toScene(const QRectF &view) const
{
    return {toScene(view.topLeft()), view.size() / zoom};
}

QRectF Viewport::visible() const
{
    return toScene(QRectF(QPointF(0, 0), size));
}

Viewport zoomedAbout(const Viewport &viewport, const QPointF &anchor, double factor)
{
    Viewport result = viewport;
    result.zoom = std::clamp(viewport.zoom * factor, kMinZoom, kMaxZoom);
    result.centre += viewport.toScene(anchor) - result.toScene(anchor);
    return result;
}

Viewport panned(const Viewport &viewport, const QPointF &delta)
{
    Viewport result = viewport;
    result.centre -= delta / viewport.zoom;
    return result;
}

Viewport fitted(const Viewport &viewport, const QRectF &rect, const QMarginsF &margins, double maxZoom)
{
    const QRectF inner = QRectF(QPointF(0, 0), viewport.size).marginsRemoved(margins);
    const double zoom = std::min(std::max(inner.width(), 1.0) / std::max(rect.width(), 1.0),
                                 std::max(inner.height(), 1.0) / std::max(rect.height(), 1.0));
    Viewport result = viewport;
    result.zoom = std::clamp(std::min(zoom, maxZoom), kMinZoom, kMaxZoom);
    result.centre = rect.center() - (inner.center() - middle(viewport.size)) / result.zoom;
    return result;
}

Viewport revealing(const Viewport &viewport, const QRectF &rect, const QMarginsF &margins)
{
    const QRectF inner = viewport.toScene(QRectF(QPointF(0, 0), viewport.size).marginsRemoved(margins));
    if (inner.width() < rect.width() || inner.height() < rect.height())
        return fitted(viewport, rect, margins, viewport.zoom);
    Viewport result = viewport;
    result.centre += QPointF(shiftInto(inner.left(), inner.right(), rect.left(), rect.right()),
                             shiftInto(inner.top(), inner.bottom(), rect.top(), rect.bottom()));
    return result;
}

Viewport keptOn(const Viewport &viewport, const QRectF &content, double keep)
{
    if (content.isEmpty())
        return viewport;
    const double part = keep / viewport.zoom;
    const QSizeF half = viewport.size / viewport.zoom / 2;
    const auto kept = [&](double centre, double halfView, double low, double high) {
        const double margin = std::min(part, (high - low) / 2);
        return std::clamp(centre, low + margin - halfView, high - margin + halfView);
    };
    Viewport result = viewport;
    result.centre.setX(kept(viewport.centre.x(), half.width(), content.left(), content.right()));
    result.centre.setY(kept(viewport.centre.y(), half.height(), content.top(), content.bottom()));
    return result;
}

Viewport between(const Viewport &from, const Viewport &to, double t)
{
    if (t <= 0)
        return from;
    if (t >= 1)
        return to;
    Viewport result = to;
    result.zoom = from.zoom * std::pow(to.zoom / from.zoom, t);
    // Motion is uniform on screen: the share of the way depends on the current zoom.
    const double gained = 1 / from.zoom - 1 / result.zoom;
    const double whole = 1 / from.zoom - 1 / to.zoom;
    const double share = std::abs(whole) < 1e-9 ? t : gained / whole;
    result.centre = from.centre + (to.centre - from.centre) * share;
    return result;
}

} // namespace stagecraft
