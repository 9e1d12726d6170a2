#include "widgets/schedule/edit_overlay.h"

#include "widgets/schedule/edit_geometry.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kNoteRadius = 4;
constexpr double kWidestNote = 340;
constexpr double kPin = 11;

QColor faded(QColor colour, double alpha)
{
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

class EditOverlayPainter {
public:
    EditOverlayPainter(QPainter &painter, const EditOverlay &picture, const QRectF &visible)
        : m_painter(painter), m_picture(picture), m_theme(picture.theme), m_visible(visible)
    {
    }

    void paint()
    {
        m_painter.setRenderHint(QPainter::Antialiasing);
        if (m_picture.places)
            paintPlaces();
        paintChosen();
        if (m_picture.plan)
            paintPlan();
        if (m_picture.band)
            paintBand();
        if (!m_picture.said.isEmpty())
            paintNote(m_painter, m_theme, m_picture.said, m_picture.saidAt, m_visible,
                      !m_picture.plan || !m_picture.plan->edited);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

private:
    void paintChosen()
    {
        m_painter.setBrush(Qt::NoBrush);
        for (const std::size_t stage : m_picture.chosen.stages) {
            if (m_picture.chosen.stages.size() < 2 || stage >= m_picture.layout.rows.size())
                continue; // a single one is framed by the view
            m_painter.setPen(QPen(m_theme.accent, 2));
            const QRectF row = m_picture.layout.rows[stage].rect;
            m_painter.drawRect(QRectF(m_visible.left() + 1, row.top() + 1, m_visible.width() - 2, row.height() - 2));
        }
        for (const OperatorBox &box : m_picture.layout.boxes) {
            const bool isMoving =
                m_picture.moving && std::ranges::find(*m_picture.moving, box.op) != m_picture.moving->end();
            if (!box.rect.intersects(m_visible) || !(isMoving || m_picture.chosen.has(box.op)))
                continue;
            m_painter.setPen(QPen(m_theme.accent, 3));
            m_painter.setBrush(isMoving ? QBrush(faded(m_theme.canvas, 0.55)) : QBrush(Qt::NoBrush));
            m_painter.drawRoundedRect(box.rect.adjusted(1.5, 1.5, -1.5, -1.5), kNoteRadius, kNoteRadius);
        }
    }

    // Places that cannot take the operators are veiled, those that can are highlighted.
    void paintPlaces()
    {
        for (const EditPlaceAnswer &answer : *m_picture.places) {
            const QRectF place = placeRect(m_picture.layout, m_picture.schedule, answer.place, m_picture.block);
            if (place.height() <= 0 || !place.intersects(m_visible))
                continue;
            if (!answer.place.isNew && !answer.legal) {
                m_painter.fillRect(place, faded(m_theme.canvas, 0.6));
            } else if (!answer.place.isNew) {
                m_painter.fillRect(place, faded(m_theme.accent, 0.16));
                m_painter.fillRect(QRectF(m_visible.left(), place.top(), 5, place.height()), m_theme.accent);
            }
        }
        for (const EditPlaceAnswer &answer : *m_picture.places) { // on top of the rows
            const QRectF bar = placeRect(m_picture.layout, m_picture.schedule, answer.place, m_picture.block);
            if (answer.place.isNew && answer.legal && bar.intersects(m_visible))
                m_painter.fillRect(bar.adjusted(0, 1.5, 0, -1.5), faded(m_theme.accent, 0.6));
        }
    }

    void paintPlan()
    {
        const PlannedMove &plan = *m_picture.plan;
        const QRectF place = placeRect(m_picture.layout, m_picture.schedule, plan.place, m_picture.block);
        const QColor colour = plan.edited ? m_theme.accent : m_theme.slower;
        if (plan.place.isNew) {
            m_painter.fillRect(place, colour);
        } else {
            m_painter.setPen(QPen(colour, 3, plan.edited ? Qt::SolidLine : Qt::DashLine));
            m_painter.setBrush(faded(colour, plan.edited ? 0.22 : 0.08));
            m_painter.drawRect(
                QRectF(m_visible.left() + 2, place.top() + 2, m_visible.width() - 4, place.height() - 4));
        }
        for (const OperatorBox &box : m_picture.layout.boxes) {
            const bool isNear =
                m_picture.schedule.stages[box.stage].block == m_picture.block && box.rect.intersects(m_visible);
            if (isNear && std::ranges::find(plan.inTheWay, box.op) != plan.inTheWay.end())
                paintGhost(box);
        }
    }

    void paintGhost(const OperatorBox &box)
    {
        const PlannedMove &plan = *m_picture.plan;
        const QColor colour = plan.takesAlong ? m_theme.accent : m_theme.slower;
        m_painter.setPen(QPen(colour, 2, Qt::DashLine));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(box.rect.adjusted(-2, -2, 2, 2), kNoteRadius, kNoteRadius);
        const QString why =
            plan.takesAlong ? QStringLiteral("moves along") : companionText(m_picture.graph, *m_picture.moving, box.op);
        paintLabel(why, box.rect.bottomLeft() + QPointF(4, -4), colour);
    }

    // Left-aligned at the point.
    void paintLabel(const QString &text, QPointF at, const QColor &colour)
    {
        const QFontMetrics metrics = m_painter.fontMetrics();
        const QRectF place(at.x(), at.y() - metrics.height() / 2.0, metrics.horizontalAdvance(text) + 10.0,
                           metrics.height() + 2.0);
        m_painter.setPen(QPen(colour, 1));
        m_painter.setBrush(m_theme.panel);
        m_painter.drawRoundedRect(place, 3, 3);
        m_painter.setPen(m_theme.text);
        m_painter.drawText(place, Qt::AlignCenter, text);
    }

    void paintBand()
    {
        m_painter.setPen(QPen(m_theme.accent, 1));
        m_painter.setBrush(faded(m_theme.accent, 0.12));
        m_painter.drawRect(*m_picture.band);
    }

    // Kept inside the visible part.
    QPainter &m_painter;
    const EditOverlay &m_picture;
    const Theme &m_theme;
    QRectF m_visible;
};

// Hatched until measured, then the gain or loss with a sign and a word.
void paintChange(QPainter &painter, const StageRow &row, const StageMark &mark, const Theme &theme)
{
    if (!mark.isMeasured) {
        painter.fillRect(row.gutter, QBrush(faded(theme.mutedText, 0.5), Qt::BDiagPattern));
        return;
    }
    const double below = row.gutter.bottom() - row.gutter.center().y() - 10;
    if (mark.change.isEmpty() || below < 10)
        return;
    painter.setPen(mark.changeUs < 0 ? theme.faster : mark.changeUs > 0 ? theme.slower : theme.mutedText);
    QRectF line(row.gutter.left() + 2, row.gutter.bottom() - below, row.gutter.width() - 4, below + 2);
    const QFontMetrics metrics = painter.fontMetrics();
    for (const QString &text : {mark.change, mark.parts}) { // the tool tip has both
        if (line.height() < metrics.ascent())
            return;
        painter.drawText(line, Qt::AlignTop | Qt::AlignLeft,
                         metrics.elidedText(text, Qt::ElideRight, static_cast<int>(line.width())));
        line.setTop(line.top() + metrics.height());
        painter.setPen(theme.mutedText);
    }
}

} // namespace

void paintEditOverlay(QPainter &painter, const EditOverlay &picture, const QRectF &visible)
{
    EditOverlayPainter(painter, picture, visible).paint();
}

void paintMarks(QPainter &painter, const SchedulePage &layout, const StageMarks &marks, const Theme &theme,
                const QRectF &visible)
{
    if (marks.size() != layout.rows.size())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QFont small = painter.font();
    small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.86));
    painter.setFont(small);
    const auto [first, last] = layout.rowsBetween(visible.top(), visible.bottom());
    for (std::size_t i = first; i < last; ++i) {
        const StageRow &row = layout.rows[i];
        if (row.rect.height() <= 0)
            continue;
        if (marks[i].isChanged)
            paintChange(painter, row, marks[i], theme);
        if (marks[i].isPinned && row.rect.height() > kPin + 2)
            paintPin(painter, {row.gutter.left() + 8, row.rect.top() + 2}, theme);
    }
    painter.restore();
}

void paintPin(QPainter &painter, QPointF at, const Theme &theme)
{
    painter.setPen(QPen(theme.text, 1.2));
    painter.setBrush(theme.accent);
    painter.drawEllipse(QRectF(at.x() + 3, at.y(), kPin - 5, kPin - 5));
    painter.drawLine(QPointF(at.x() + kPin / 2 + 0.5, at.y() + kPin - 5),
                     QPointF(at.x() + kPin / 2 + 0.5, at.y() + kPin));
}

void paintNote(QPainter &painter, const Theme &theme, const QString &text, QPointF at, const QRectF &visible,
               bool isRefused)
{
    const double room = std::min(kWidestNote, visible.width() - 24);
    const QRectF bounds = QFontMetricsF(painter.font()).boundingRect(QRectF(0, 0, room, 1000), Qt::TextWordWrap, text);
    QRectF place(at, bounds.size() + QSizeF(18, 12));
    place.moveLeft(std::clamp(place.left(), visible.left() + 4,
                              std::max(visible.left() + 4, visible.right() - place.width() - 4)));
    place.moveTop(
        std::clamp(place.top(), visible.top() + 4, std::max(visible.top() + 4, visible.bottom() - place.height() - 4)));
    painter.setPen(QPen(isRefused ? theme.slower : theme.accent, 1.5));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(place, kNoteRadius, kNoteRadius);
    painter.setPen(theme.text);
    painter.drawText(place.adjusted(9, 6, -9, -6), Qt::TextWordWrap, text);
}

} // namespace stagecraft
