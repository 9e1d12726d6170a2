#pragma once

// Where the view of a graph goes: pure functions from a viewport and a drawing to another viewport.

#include "widgets/canvas/viewport.h"
#include "widgets/graph/drawing/graph_drawing.h"

namespace stagecraft {

// After opening: the whole graph if cards stay readable, else its top.
[[nodiscard]] Viewport firstView(const Viewport &viewport, const GraphDrawing &drawing, const QMarginsF &margins);
// `rect` with what is around it: the whole graph if cards show type and name.
[[nodiscard]] Viewport framedView(const Viewport &viewport, const QRectF &rect, const QRectF &whole,
                                  const QMarginsF &margins);
// The smallest change that shows `rect` readably: within `reveal`, or `margins` if it has to become larger.
[[nodiscard]] Viewport readableView(const Viewport &viewport, const QRectF &rect, const QMarginsF &reveal,
                                    const QMarginsF &margins);

} // namespace stagecraft
