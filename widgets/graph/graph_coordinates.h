#pragma once

// From the drawing to the screen and back: pure arithmetic. Scene coordinates are the layout's, view coordinates are
// the widget's logical pixels.

#include <QMarginsF>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace stagecraft {

inline constexpr double kMinZoom = 0.0005;
inline constexpr double kMaxZoom = 4;

struct GraphViewport {
    QPointF centre;  // scene point in the middle of the view
    double zoom = 1; // view pixels per scene unit
    QSizeF size;     // of the view

    [[nodiscard]] QPointF toView(const QPointF &scene) const;
    [[nodiscard]] QRectF toView(const QRectF &scene) const;
    [[nodiscard]] QPointF toScene(const QPointF &view) const;
    [[nodiscard]] QRectF toScene(const QRectF &view) const;
    [[nodiscard]] QRectF visible() const; // in the scene

    friend bool operator==(const GraphViewport &, const GraphViewport &) = default;
};

// The scene point under `anchor` (view coordinates) stays there. The zoom stays within its bounds.
[[nodiscard]] GraphViewport zoomedAbout(const GraphViewport &viewport, const QPointF &anchor, double factor);

// Moves what is shown by `delta` view pixels.
[[nodiscard]] GraphViewport panned(const GraphViewport &viewport, const QPointF &delta);

// Shows all of `rect` (scene) within the margins (view pixels), as large as fits but not above `maxZoom`.
[[nodiscard]] GraphViewport fitted(const GraphViewport &viewport, const QRectF &rect, const QMarginsF &margins,
                                   double maxZoom = 1);

// The least change that shows all of `rect` within the margins; zooms out where it does not fit.
[[nodiscard]] GraphViewport revealing(const GraphViewport &viewport, const QRectF &rect, const QMarginsF &margins);

// Keeps part of the content in sight: at least `keep` view pixels.
[[nodiscard]] GraphViewport keptOn(const GraphViewport &viewport, const QRectF &content, double keep);

// On the way from one viewport to another, 0 <= t <= 1; zoom changes by equal ratios in equal times.
[[nodiscard]] GraphViewport between(const GraphViewport &from, const GraphViewport &to, double t);

} // namespace stagecraft
