#pragma once

// Several models in one graph: which of them an operator is of, and how views tell them apart. A model has a colour and
// a bar with gaps of its own (none, long, short), so that nobody needs the colour; of one model alone nothing is shown.

#include "graph/graph.h"
#include "graph/union_parts.h"
#include "widgets/base/theme.h"

#include <QRectF>
#include <QString>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

class QPainter;

namespace stagecraft {

class ModelMarks {
public:
    ModelMarks() = default;
    explicit ModelMarks(const Graph &graph) : m_parts(partsOfUnion(graph)) {}

    [[nodiscard]] bool isEmpty() const { return m_parts.empty(); } // the graph is one model
    [[nodiscard]] const std::vector<UnionPart> &parts() const { return m_parts; }
    [[nodiscard]] std::optional<std::size_t> of(OperatorId id) const { return partOf(m_parts, id); }
    [[nodiscard]] QString nameOf(OperatorId id) const; // empty: the graph is one model

private:
    std::vector<UnionPart> m_parts;
};

[[nodiscard]] QColor modelColour(const Theme &theme, std::size_t model);
[[nodiscard]] QColor modelFill(const Theme &theme, std::size_t model); // of a card, with text on it
// Along the longer side of the bar, in units of `unit`: a pixel, where the painter is scaled.
void paintModelMark(QPainter &painter, const QRectF &bar, std::size_t model, const Theme &theme, double unit = 1);

// At the left edge of an operator's box.
[[nodiscard]] inline QRectF modelBar(const QRectF &box)
{
    return {box.left() + 1, box.top() + 1, std::min(5.0, box.width() / 3), std::max(1.0, box.height() - 2)};
}

} // namespace stagecraft
