#pragma once

// Conversion between a scene and the screen, as pure arithmetic. Scene coordinates are those of what is drawn, view
// coordinates are logical pixels of the widget.

#include <QMarginsF>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace stagecraft {

inline constexpr double kMinZoom = 0.0005;
inline constexpr double kMaxZoom = 4;

struct Viewport {
    QPointF centre;  // scene point at the centre of the view
    double zoom = 1; // view pixels per scene unit
    QSizeF size;     // of the view

    [[nodiscard]] QPointF toView(const QPointF &scene) const;
    [[nodiscard]] QRectF toView(const QRectF &scene) const;
    [[nodiscard]] QPointF toScene(const QPointF &view) const;
    [[nodiscard]] QRectF toScene(const QRectF &view) const;
    [[nodiscard]] QRectF visible() const; // in scene coordinates

    friend bool operator==(const Viewport &, const Viewport &) = default;
};

// Keeps the scene point under `anchor` (view coordinates) in place. The zoom stays within its bounds.
[[nodiscard]] Viewport zoomedAbout(const Viewport &viewport, const QPointF &anchor, double factor);

// Moves the content by `delta` view pixels.
[[nodiscard]] Viewport panned(const Viewport &viewport, const QPointF &delta);

// Shows all of `rect` (scene) within the margins (view pixels), as large as possible but at most at `maxZoom`.
[[nodiscard]] Viewport fitted(const Viewport &viewport, const QRectF &rect, const QMarginsF &margins,
                              double maxZoom = 1);

// The smallest change that shows all of `rect` within the margins; zooms out if it does not fit.
[[nodiscard]] Viewport revealing(const Viewport &viewport, const QRectF &rect, const QMarginsF &margins);

// Keeps at least `keep` view pixels of the content visible.
[[nodiscard]] Viewport keptOn(const Viewport &viewport, const QRectF &content, double keep);

// Interpolates between two viewports, 0 <= t <= 1; equal times change the zoom by equal ratios.
[[nodiscard]] Viewport between(const Viewport &from, const Viewport &to, double t);

} // namespace stagecraft
