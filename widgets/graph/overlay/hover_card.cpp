#include "widgets/graph/overlay/hover_card.h"

#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kHoverPadding = 12;
constexpr double kGap = 10;
constexpr double kMaxValueWidth = 260;

QString stageText(const Graph &graph, const StagePlace &place, const TimedSchedule *schedule)
{
    if (place.launch)
        return QStringLiteral("%1, launch %2%3")
            .arg(place.stage + 1)
            .arg(*place.launch + 1)
            .arg(place.strategy == Strategy::Merge ? QStringLiteral(", merged") : QString());
    QString text = stageTitle(place.stage);
    if (place.strategy == Strategy::Merge)
        text += QStringLiteral(", merged");
    else if (place.groups > 1)
        text += QStringLiteral(", group %1 of %2").arg(groupLetter(place.group)).arg(place.groups);
    if (schedule && place.stage < schedule->measured.stages.size() && schedule->measured.provenance) {
        text += QStringLiteral(" · %1 %2")
                    .arg(latencyText(schedule->measured.stages[place.stage].latencyUs,
                                     schedule->leavesOutWork(graph, place.stage)),
                         provenanceText(*schedule->measured.provenance));
    }
    return text;
}

} // namespace

HoverCard hoverCard(const Graph &graph, OperatorId id, const std::optional<StagePlace> &place,
                    const TimedSchedule *schedule)
{
    const Operator &op = graph.op(id);
    HoverCard card;
    card.title = shownName(displayType(op));
    card.subtitle = shownName(op.name);
    if (const QString kernel = kernelText(op); !kernel.isEmpty())
        card.rows.emplace_back(op.gemm() ? QStringLiteral("Features") : QStringLiteral("Window"), kernel);
    card.rows.emplace_back(QStringLiteral("Input"), shapeText(graph.inputShape(id)));
    card.rows.emplace_back(QStringLiteral("Output"), shapeText(graph.outputShape(id)));
    if (!isCosted(graph, id))
        card.rows.emplace_back(QStringLiteral("Work"), QStringLiteral("not known"));
    else if (const double work = flops(graph, id); work > 0)
        card.rows.emplace_back(QStringLiteral("Work"), flopsText(work));
    if (place)
        card.rows.emplace_back(place->launch ? QStringLiteral("Stream") : QStringLiteral("Stage"),
                               stageText(graph, *place, schedule));
    return card;
}

void paintHoverCard(QPainter &painter, const HoverCard &card, const QRectF &anchor, const QRectF &view,
                    const Theme &theme, const QFont &base)
{
    QFont plain = base;
    plain.setPixelSize(12);
    QFont bold = plain;
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(plain);
    const QFontMetricsF boldMetrics(bold);
    const double line = std::ceil(metrics.height()) + 3;
    double keys = 0;
    double values = 0;
    for (const auto &[key, value] : card.rows) {
        keys = std::max(keys, metrics.horizontalAdvance(key));
        values = std::max(values, metrics.horizontalAdvance(value));
    }
    values = std::min(values, kMaxValueWidth);
    const double inner = std::max({keys + kGap + values, boldMetrics.horizontalAdvance(card.title),
                                   std::min(metrics.horizontalAdvance(card.subtitle), kMaxValueWidth + keys)});
    QRectF box(0, 0, inner + 2 * kHoverPadding,
               line * static_cast<double>(card.rows.size() + 2) + 2 * kHoverPadding + 4);
    box.moveTopLeft(anchor.topRight() + QPointF(kGap, 0));
    if (box.right() > view.right() - 4)
        box.moveRight(anchor.left() - kGap);
    if (box.left() < view.left() + 4)
        box.moveTopLeft(QPointF(std::max(view.left() + 4, std::min(anchor.left(), view.right() - box.width() - 4)),
                                anchor.bottom() + kGap));
    if (box.bottom() > view.bottom() - 4)
        box.moveBottom(std::max(view.top() + box.height(), view.bottom() - 4));
    if (box.top() < view.top() + 4)
        box.moveTop(view.top() + 4);

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 4; i > 0; --i) { // a soft shadow
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0, 0, 0, theme.dark ? 26 : 10));
        painter.drawRoundedRect(box.adjusted(-i, -i + 2, i, i + 2), 8 + i, 8 + i);
    }
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(box, 8, 8);
    QRectF row(box.left() + kHoverPadding, box.top() + kHoverPadding, inner, line);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(row, Qt::AlignVCenter, card.title);
    row.translate(0, line);
    painter.setFont(plain);
    painter.setPen(theme.mutedText);
    painter.drawText(row, Qt::AlignVCenter, metrics.elidedText(card.subtitle, Qt::ElideMiddle, inner));
    row.translate(0, line + 4);
    for (const auto &[key, value] : card.rows) {
        painter.setPen(theme.mutedText);
        painter.drawText(row, Qt::AlignVCenter, key);
        painter.setPen(theme.text);
        painter.drawText(row.adjusted(keys + kGap, 0, 0, 0), Qt::AlignVCenter,
                         metrics.elidedText(value, Qt::ElideRight, inner - keys - kGap));
        row.translate(0, line);
    }
    painter.restore();
}

} // namespace stagecraft
