#pragma once

// The texts of cards, titles and terminals in the graph view, and the sizes they need. Text is shortened here once, so
// that the painter only paints. Callable on any thread.

#include "graph/block.h"
#include "graph/graph.h"
#include "widgets/graph/drawing/graph_drawing.h"

#include <QFont>
#include <QString>

#include <vector>

namespace stagecraft {

struct GraphFonts {
    QFont type;  // first line of a card
    QFont large; // the only line of a small card
    QFont name;  // further lines
    QFont badge;
    QFont title;     // block title
    QFont largeName; // the second line of a small card
};

// Sizes are in scene units and scale with the zoom.
[[nodiscard]] GraphFonts graphFonts(const QFont &base);

inline constexpr double kCardPadding = 10;
inline constexpr double kBadgeWidth = 38;      // reserved on the first line of a card
inline constexpr double kLargeBadgeWidth = 44; // on the second line of a small one

struct CardLabel {
    QString type;
    QString shortType; // for the larger type at smaller zooms
    QString kernel;
    QString name;
    QString shortName; // its end, larger: tells operators of one type apart at smaller zooms
    QString detail;    // window and output shape
};

struct GraphLabels {
    std::vector<CardLabel> operators;
    std::vector<CardLabel> inputs; // type "input", name, "input · shape"
    std::vector<CardLabel> outputs;
    std::vector<QString> blockTitles;     // "Block 3 · 11 operators · width 6"
    std::vector<double> shortTitleWidths; // width of "Block 3" alone, for narrow blocks
    DrawingOptions sizes;                 // the resulting sizes
};

// What is read from outside and written to it, in one word each.
struct TerminalWords {
    const char *input = "input";
    const char *output = "output";
};

[[nodiscard]] GraphLabels graphLabels(const Graph &graph, const Blocks &blocks, const QFont &base,
                                      const TerminalWords &words = {});

// "3×3 /2" for a window, "384 → 1000" for a matrix product, else empty.
[[nodiscard]] QString kernelText(const Operator &op);

} // namespace stagecraft
