#pragma once

// Paints what of the scene a viewport shows. Paints only: no state, no events; on a widget or on an image.

#include "widgets/graph/graph_coordinates.h"
#include "widgets/graph/graph_scene.h"

#include <QRect>

class QPainter;

namespace stagecraft {

// `clip`: the part of the view to paint, in view coordinates.
void paintGraph(QPainter &painter, const GraphScene &scene, const GraphViewport &viewport, const QRectF &clip);

// All of the scene, coloured, into a small rectangle: the picture in the minimap.
void paintOverview(QPainter &painter, const GraphScene &scene, const QRectF &target);

} // namespace stagecraft
