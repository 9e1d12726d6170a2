#include "widgets/schedule/streams_painter.h"

#include "operators/schema.h"
#include "widgets/base/fitted_name.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kTwoLines = 28; // box height at which name and type fit
constexpr double kOneLine = 13;
constexpr double kRadius = 4;
constexpr double kArrowHead = 5;

class StreamsPainter {
public:
    StreamsPainter(QPainter &painter, const StreamsPicture &picture, const QRectF &visible)
        : m_painter(painter), m_picture(picture), m_theme(picture.theme), m_visible(visible), m_bold(painter.font()),
          m_small(painter.font()), m_selected(picture.selectedLaunch())
    {
        m_bold.setWeight(QFont::DemiBold);
        const double size = m_small.pointSizeF() > 0 ? m_small.pointSizeF() : 9;
        m_small.setPointSizeF(size * 0.86);
    }

    void paint()
    {
        paintLanes();
        for (const EventArrow &arrow : m_picture.layout.arrows) {
            if (!isMarked(arrow))
                paintArrow(arrow, isFarAway() ? mixed(m_theme.canvas, m_theme.mutedText, 0.45) : m_theme.mutedText, 1);
        }
        for (std::size_t i = 0; i < m_picture.layout.boxes.size(); ++i) {
            if (m_picture.layout.boxes[i].intersects(m_visible))
                paintBox(i);
        }
        for (const EventArrow &arrow : m_picture.layout.arrows) { // on top
            if (isMarked(arrow))
                paintArrow(arrow, m_theme.accent, 2);
        }
        paintHeader();
    }

private:
    // Of the launch that is selected, else of the one under the mouse.
    [[nodiscard]] bool isMarked(const EventArrow &arrow) const
    {
        const auto launch = m_picture.hovered ? m_picture.hovered : m_selected;
        return launch && (arrow.from == *launch || arrow.to == *launch);
    }

    // Boxes are too small for names, and arrows for heads.
    [[nodiscard]] bool isFarAway() const
    {
        return !m_picture.layout.boxes.empty() && m_picture.layout.boxes.front().height() < kOneLine;
    }

    void paintLanes()
    {
        for (std::size_t i = 0; i < m_picture.layout.lanes.size(); ++i) {
            const QRectF &lane = m_picture.layout.lanes[i].rect;
            if (lane.right() < m_visible.left() || lane.left() > m_visible.right())
                continue;
            m_painter.fillRect(lane, mixed(m_theme.canvas, m_theme.stageFill(i), i % 2 == 0 ? 0.12 : 0.06));
            m_painter.setPen(m_theme.grid);
            m_painter.drawLine(lane.topRight(), lane.bottomRight());
        }
    }

    // Down beside its own lane, so that it crosses no box of its stream, then into the middle of the other one.
    void paintArrow(const EventArrow &arrow, const QColor &colour, double width)
    {
        const QRectF reach = QRectF(arrow.start, arrow.end).normalized().adjusted(-9, -9, 9, 9);
        if (!reach.intersects(m_visible))
            return;
        m_painter.setRenderHint(QPainter::Antialiasing);
        const double bend = std::clamp((arrow.end.y() - arrow.start.y()) / 2, 6.0, 26.0);
        QPainterPath path(arrow.start);
        path.cubicTo(arrow.start + QPointF(0, bend), arrow.end - QPointF(0, bend), arrow.end - QPointF(0, kArrowHead));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(colour, width));
        m_painter.drawPath(path);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        if (!isFarAway())
            m_painter.drawPolygon(QPolygonF({arrow.end, arrow.end + QPointF(-kArrowHead * 0.7, -kArrowHead),
                                             arrow.end + QPointF(kArrowHead * 0.7, -kArrowHead)}));
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    void paintBox(std::size_t launch)
    {
        const StreamLaunch &what = m_picture.streams.launches[launch];
        const QRectF &box = m_picture.layout.boxes[launch];
        const QColor fill = m_theme.stageFill(what.stream);
        const bool selected = m_selected == launch;
        const bool hovered = m_picture.hovered == launch;
        const bool isSmall = box.height() < kOneLine;
        const QRectF rect = box.adjusted(0.5, 0.5, -0.5, -0.5);
        m_painter.setRenderHint(QPainter::Antialiasing, !isSmall);
        const QColor outline = what.isMerged() ? m_theme.mergeMark : m_theme.stageOutline(what.stream);
        m_painter.setPen(selected ? QPen(m_theme.accent, 3) : QPen(outline, hovered || what.isMerged() ? 2 : 1));
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(rect, isSmall ? 0 : kRadius, isSmall ? 0 : kRadius);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        if (const auto model = m_picture.models.of(what.operators.front()))
            paintModelMark(m_painter, modelBar(box), *model, m_theme);
        if (!isSmall)
            paintText(launch, m_theme.onFill(fill));
    }

    // From long to short: paths without their fronts, of which the last two parts stay.
    [[nodiscard]] QStringList textsOf(const StreamLaunch &launch) const
    {
        QStringList names;
        for (const OperatorId id : launch.operators)
            names << shownName(m_picture.graph.op(id).name);
        QStringList texts{names.join(QStringLiteral(" + "))};
        for (bool isShorter = true; isShorter;) {
            isShorter = false;
            for (QString &name : names) {
                if (name.count(QLatin1Char('/')) < 2)
                    continue;
                isShorter = true;
                name = name.section(QLatin1Char('/'), 1);
            }
            if (isShorter)
                texts << names.join(QStringLiteral(" + "));
        }
        return texts;
    }

    void paintText(std::size_t launch, const QColor &ink)
    {
        const StreamLaunch &what = m_picture.streams.launches[launch];
        const QRectF inner = m_picture.layout.boxes[launch].adjusted(m_picture.models.isEmpty() ? 6 : 10, 2, -5, -2);
        const int width = static_cast<int>(inner.width());
        if (width < 20)
            return;
        const bool two = m_picture.layout.boxes[launch].height() >= kTwoLines;
        const QRectF top = two ? QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2) : inner;
        m_painter.setFont(m_bold);
        m_painter.setPen(ink);
        m_painter.drawText(top, Qt::AlignVCenter | Qt::AlignLeft,
                           fittedText(textsOf(what), m_painter.fontMetrics(), width));
        if (!two)
            return;
        m_painter.setFont(m_small);
        QColor soft = ink;
        soft.setAlphaF(0.82F);
        m_painter.setPen(soft);
        QRectF line(inner.left(), inner.center().y(), inner.width(), inner.height() / 2);
        const QString number = QString::number(launch + 1);
        m_painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, number);
        line.setRight(line.right() - m_painter.fontMetrics().horizontalAdvance(number) - 4);
        const QString type = shownName(displayType(m_picture.graph.op(what.operators.front())));
        const QString said = what.isMerged() ? QStringLiteral("%1 merged").arg(what.operators.size()) : type;
        m_painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                           m_painter.fontMetrics().elidedText(said, Qt::ElideRight, static_cast<int>(line.width())));
    }

    void paintHeader()
    {
        const QRectF line(m_visible.left(), m_visible.top(), m_visible.width(), m_picture.layout.headerHeight);
        m_painter.fillRect(line, m_theme.panel);
        m_painter.setPen(m_theme.border);
        m_painter.drawLine(line.bottomLeft(), line.bottomRight());
        for (std::size_t i = 0; i < m_picture.layout.lanes.size(); ++i) {
            const StreamLane &lane = m_picture.layout.lanes[i];
            const QRectF inner(lane.rect.left() + 8, line.top(), lane.rect.width() - 12, line.height());
            if (inner.width() < 10 || !inner.intersects(line))
                continue;
            m_painter.fillRect(QRectF(lane.rect.left(), line.bottom() - 3, lane.rect.width(), 3), m_theme.stageFill(i));
            m_painter.setFont(m_bold);
            m_painter.setPen(m_theme.text);
            const QString count = plural(static_cast<std::int64_t>(lane.operators), "operator");
            m_painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                               fittedText({QStringLiteral("Stream %1, %2").arg(i + 1).arg(count),
                                           QStringLiteral("Stream %1").arg(i + 1), QString::number(i + 1)},
                                          m_painter.fontMetrics(), static_cast<int>(inner.width())));
        }
    }

    QPainter &m_painter;
    const StreamsPicture &m_picture;
    const Theme &m_theme;
    QRectF m_visible;
    QFont m_bold;
    QFont m_small;
    std::optional<std::size_t> m_selected;
};

} // namespace

std::optional<std::size_t> StreamsPicture::selectedLaunch() const
{
    if (!selected)
        return std::nullopt;
    const auto found = std::ranges::find_if(streams.launches, [&](const StreamLaunch &launch) {
        return std::ranges::find(launch.operators, *selected) != launch.operators.end();
    });
    return found == streams.launches.end() ? std::nullopt
                                           : std::optional(static_cast<std::size_t>(found - streams.launches.begin()));
}

void paintStreams(QPainter &painter, const StreamsPicture &picture, const QRectF &visible)
{
    StreamsPainter(painter, picture, visible).paint();
}

} // namespace stagecraft
