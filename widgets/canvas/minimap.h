#pragma once

// The whole of a scene in a strip beside the canvas, with the visible part marked. Arithmetic as pure functions;
// painted from a cached picture.

#include "widgets/base/theme.h"
#include "widgets/canvas/viewport.h"

#include <QPixmap>

class QPainter;

namespace stagecraft {

struct MinimapPlace {
    QRectF box;     // the strip, in the view
    QRectF content; // of the scene, inside the box
    QRectF scene;   // the part of the scene that `content` shows

    [[nodiscard]] QPointF toScene(const QPointF &view) const;
    [[nodiscard]] QRectF toView(const QRectF &sceneRect) const;
};

// Of the strip in a view: 0 if the view is too small, or the scene fits in it at full size.
[[nodiscard]] double minimapWidth(const QSizeF &view, const QRectF &scene);
// As large as fits, at the top of the strip.
[[nodiscard]] MinimapPlace minimapPlace(const QRectF &strip, const QRectF &scene);

void paintMinimap(QPainter &painter, const MinimapPlace &place, const QPixmap &picture, const Viewport &viewport,
                  const Theme &theme);

} // namespace stagecraft
