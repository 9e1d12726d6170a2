#pragma once

// Conversions between layouts as badges on the edges of the graph: "→ NHWC 4.1 µs". The badge of the first reader has
// the cost, where it is known; later readers share its copy.

#include "operators/values/tensor_layout.h"
#include "search/layouts/layout_costs.h"
#include "widgets/base/theme.h"
#include "widgets/graph/paint/tensor_layouts.h"

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

class QPainter;

namespace stagecraft {

struct PreparedGraph;

struct ConversionBadge {
    std::uint32_t edge = 0; // of the layout
    QString text;
    TensorLayout to = TensorLayout::RowMajor;
    double width = 0;            // of the text, in pixels
    std::vector<QPointF> places; // on the edge, the best first; scene coordinates
};

inline constexpr double kConversionZoom = 0.45; // below it badges would cover the edges, and are not drawn

// What the conversion takes, from the latencies that are known; nullopt: it is not known. In microseconds.
[[nodiscard]] std::optional<double> conversionUs(const LayoutCosts *costs, const ShownConversion &conversion);

// In the order of conversions. One badge for all conversions between the same two nodes, which may be folded blocks.
[[nodiscard]] std::vector<ConversionBadge> conversionBadges(const Graph &graph, const PreparedGraph &prepared,
                                                            const ShownLayouts &layouts, const LayoutCosts *costs,
                                                            const QFont &font);

// Where badges are drawn at this zoom, in scene coordinates: on their edges, never on each other, beside cards if they
// can. Null: there is no room.
[[nodiscard]] std::vector<QRectF> placeBadges(const std::vector<ConversionBadge> &badges, const PreparedGraph &prepared,
                                              double zoom);

void paintBadge(QPainter &painter, const ConversionBadge &badge, const QRectF &rect, const QFont &font,
                const QColor &fill, const Theme &theme);

} // namespace stagecraft
