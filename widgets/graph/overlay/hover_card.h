#pragma once

// The card with facts about the operator under the pointer.

#include "graph/graph.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

class QPainter;

namespace stagecraft {

struct HoverCard {
    QString title;    // type
    QString subtitle; // name
    std::vector<std::pair<QString, QString>> rows;
};

[[nodiscard]] HoverCard hoverCard(const Graph &graph, OperatorId op, const std::optional<StagePlace> &place,
                                  const TimedSchedule *schedule);

// Next to `anchor` (the node's card), inside `view`.
void paintHoverCard(QPainter &painter, const HoverCard &card, const QRectF &anchor, const QRectF &view,
                    const Theme &theme, const QFont &font);

} // namespace stagecraft
