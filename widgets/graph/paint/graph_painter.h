#pragma once

// Paints the part of the scene that a viewport shows, on a widget or an image. No state, no events.

#include "widgets/canvas/viewport.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QRect>

class QPainter;

namespace stagecraft {

// More visible cards are painted flat: a frame stays under 16 ms.
inline constexpr std::size_t kMostCards = 1500;

// `clip`: the part of the view to paint, in view coordinates.
void paintGraph(QPainter &painter, const GraphScene &scene, const Viewport &viewport, const QRectF &clip,
                std::size_t mostCards = kMostCards);

// The whole scene in colour in a small rectangle: the picture in the minimap.
void paintOverview(QPainter &painter, const GraphScene &scene, const QRectF &target);

} // namespace stagecraft
