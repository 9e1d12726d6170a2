#pragma once

// The whole graph in a corner, with the visible part marked. Arithmetic as pure functions; painted from a cached
// picture.

#include "widgets/graph/layout/graph_coordinates.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QPixmap>

#include <optional>

class QPainter;

namespace stagecraft {

struct MinimapPlace {
    QRectF box;     // in the view
    QRectF content; // of the scene, inside the box
    QRectF scene;   // the part of the scene that `content` shows

    [[nodiscard]] QPointF toScene(const QPointF &view) const;
    [[nodiscard]] QRectF toView(const QRectF &sceneRect) const;
};

// nullopt while the whole scene is visible or if the view is too small.
[[nodiscard]] std::optional<MinimapPlace> minimapPlace(const GraphViewport &viewport, const QRectF &scene);

[[nodiscard]] QPixmap minimapPicture(const GraphScene &scene, const QSizeF &size, double devicePixelRatio);

void paintMinimap(QPainter &painter, const MinimapPlace &place, const QPixmap &picture, const GraphViewport &viewport,
                  const Theme &theme);

} // namespace stagecraft
