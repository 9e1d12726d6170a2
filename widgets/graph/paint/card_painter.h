#pragma once

// Paints one node of the graph view: an operator's card, a folded block, or an input or output of the graph. The
// painter uses scene coordinates.

#include "widgets/graph/paint/graph_scene.h"

#include <cstdint>

class QPainter;

namespace stagecraft {

// How much of a card is readable at the current zoom.
enum class CardDetail {
    Colour, // a flat rectangle
    Badge,  // a card with the end of its name in the size of the window's text, and its stage number if both fit
    Type,   // type, stage and window, large
    Full,   // type, name, window and shape
};

[[nodiscard]] CardDetail cardDetail(double zoom);

[[nodiscard]] const CardLabel &labelOf(const PreparedGraph &graph, std::uint32_t node); // not of a folded block

void paintCard(QPainter &painter, const GraphScene &scene, std::uint32_t node, CardDetail detail);

} // namespace stagecraft
