#include "widgets/graph/paint/operator_marks.h"

#include <QLineF>
#include <QPen>

#include <vector>

namespace stagecraft {

QColor markOutline(const Theme &theme, OperatorMark mark)
{
    switch (mark) {
    case OperatorMark::Gone: return theme.slower;
    case OperatorMark::TakesOver: return theme.faster;
    case OperatorMark::None: break;
    }
    return theme.border;
}

QColor markFill(const Theme &theme, OperatorMark mark)
{
    constexpr double kShare = 0.24;
    return mark == OperatorMark::None ? theme.panel : mixed(theme.panel, markOutline(theme, mark), kShare);
}

void paintHatch(QPainter &painter, const QRectF &box, const QColor &colour, double spacing)
{
    std::vector<QLineF> lines;
    const int count = static_cast<int>((box.width() + box.height()) / spacing);
    for (int i = 1; i <= count; ++i) {
        const double x = box.left() - box.height() + i * spacing;
        lines.emplace_back(x, box.bottom(), x + box.height(), box.top());
    }
    painter.save();
    painter.setClipRect(box, Qt::IntersectClip);
    QColor ink = colour;
    ink.setAlphaF(0.35F);
    painter.setPen(QPen(ink, spacing / 6));
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    painter.restore();
}

} // namespace stagecraft
