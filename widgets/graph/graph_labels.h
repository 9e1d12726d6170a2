#pragma once

// What stands on the cards, titles and terminals of the graph view, and how large they are for it. Text is shortened
// once, here, so that painting only paints. Callable on any thread.

#include "graph/block.h"
#include "graph/graph.h"
#include "widgets/graph/graph_layout.h"

#include <QFont>
#include <QString>

#include <vector>

namespace stagecraft {

struct GraphFonts {
    QFont type;  // first line of a card
    QFont large; // the only line, where the card is small
    QFont name;  // further lines
    QFont badge;
    QFont title; // of a block
};

// Sizes are in scene units and scale with the zoom.
[[nodiscard]] GraphFonts graphFonts(const QFont &base);

inline constexpr double kCardPadding = 10;
inline constexpr double kBadgeWidth = 38; // room kept on the first line of a card

struct CardLabel {
    QString type;
    QString shortType; // for the larger type of a smaller zoom
    QString kernel;
    QString name;
    QString detail; // window and output shape
};

struct GraphLabels {
    std::vector<CardLabel> operators;
    std::vector<CardLabel> inputs; // type "input", name, "input · shape"
    std::vector<CardLabel> outputs;
    std::vector<QString> blockTitles;     // "Block 3 · 11 operators · width 6"
    std::vector<double> shortTitleWidths; // of "Block 3" alone, where there is no room for more
    LayoutOptions sizes;                  // the sizes that follow
};

[[nodiscard]] GraphLabels graphLabels(const Graph &graph, const Blocks &blocks, const QFont &base);

// "3×3 /2" for a window, "384 → 1000" for a matrix product, empty for others.
[[nodiscard]] QString kernelText(const Operator &op);

} // namespace stagecraft
