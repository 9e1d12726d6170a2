#include "widgets/schedule/span_gutter.h"

#include "widgets/base/fitted_name.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"
#include "widgets/canvas/tips.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_change.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr int kArrow = 18;
constexpr double kThinRow = 11; // ribbons of thinner rows are lines

// The part of a row's height that stands for its operators [from, from + count).
QRectF ribbonEnd(const StageRow &row, std::size_t from, std::size_t count, std::size_t all)
{
    const double each = row.rect.height() / static_cast<double>(std::max<std::size_t>(1, all));
    return {0, row.rect.top() + each * static_cast<double>(from), 0, each * static_cast<double>(count)};
}

} // namespace

SpanGutter::SpanGutter(ScheduleView *left, ScheduleView *right, QWidget *parent)
    : QWidget(parent), m_left(left), m_right(right)
{
    setFixedWidth(kWidth);
    setMouseTracking(true);
    for (ScheduleView *view : {left, right}) {
        connect(view, &ScheduleView::laidOut, this, qOverload<>(&QWidget::update));
        connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    }
}

void SpanGutter::setCompared(std::shared_ptr<const ComparedSchedules> compared, std::size_t leftSide,
                             std::size_t rightSide)
{
    m_compared = std::move(compared);
    m_leftSide = leftSide;
    m_rightSide = rightSide;
    m_hovered.reset();
    update();
}

void SpanGutter::setLetters(const QString &left, const QString &right)
{
    m_leftLetter = left;
    m_rightLetter = right;
    setAccessibleName(QStringLiteral("Between %1 and %2").arg(left, right));
}

QSize SpanGutter::sizeHint() const
{
    return {kWidth, 120};
}

QRect SpanGutter::viewArea(const ScheduleView *view) const
{
    const int top = view->viewport()->mapTo(parentWidget(), QPoint(0, 0)).y() - y();
    return {0, top, width(), view->viewport()->height()};
}

bool SpanGutter::isDifferent(std::size_t span) const
{
    return !m_compared->isEqual(span, m_leftSide, m_rightSide);
}

// Visits each differing span with its place at the left, in gutter coordinates.
template <typename Visit>
void SpanGutter::forSpansInSight(Visit visit) const
{
    if (!m_compared)
        return;
    const QRect area = viewArea(m_left);
    const double shift = area.top() - m_left->verticalScrollBar()->value();
    const auto &spans = m_left->page().spans;
    const auto first = std::ranges::partition_point(
        spans, [&](const SpanPlace &span) { return span.top + span.height + shift < area.top(); });
    for (auto span = first; span != spans.end() && span->top + shift <= area.bottom(); ++span) {
        if (span->height > 0 && isDifferent(span->span))
            visit(span->span, QRectF(0, span->top + shift, width(), span->height));
    }
}

QRect SpanGutter::arrowRect(std::size_t wanted, Arrow arrow) const
{
    QRect found;
    forSpansInSight([&](std::size_t span, const QRectF &place) {
        if (span != wanted)
            return;
        const QRectF seen = place.intersected(QRectF(viewArea(m_left)));
        if (seen.height() < kArrow)
            return;
        const int top = static_cast<int>(seen.center().y()) - kArrow / 2;
        found = QRect(arrow == Arrow::IntoRight ? width() - kArrow - 3 : 3, top, kArrow, kArrow);
    });
    return found;
}

std::size_t SpanGutter::ribbonCount() const
{
    std::size_t count = 0;
    forSpansInSight(
        [&](std::size_t span, const QRectF &) { count += m_compared->links(span, m_leftSide, m_rightSide).size(); });
    return count;
}

std::optional<SpanGutter::Hit> SpanGutter::hitAt(QPoint point) const
{
    std::optional<Hit> hit;
    forSpansInSight([&](std::size_t span, const QRectF &) {
        for (const Arrow arrow : {Arrow::IntoRight, Arrow::IntoLeft}) {
            if (arrowRect(span, arrow).contains(point))
                hit = Hit{span, arrow};
        }
    });
    return hit;
}

QString SpanGutter::tip(const Hit &hit) const
{
    const bool intoRight = hit.arrow == Arrow::IntoRight;
    const StageRange &from = m_compared->spans()[hit.span].sides[intoRight ? m_leftSide : m_rightSide];
    return QStringLiteral("Take %1 of %2 into %3: makes a new result")
        .arg(stagesText(from), intoRight ? m_leftLetter : m_rightLetter, intoRight ? m_rightLetter : m_leftLetter);
}

QString SpanGutter::tipOfSpanAt(QPoint point) const
{
    QString said;
    forSpansInSight([&](std::size_t span, const QRectF &place) {
        const auto change = spanChange(*m_compared, span, m_leftSide, m_rightSide);
        if (!place.contains(point) || !change)
            return;
        const auto &sides = m_compared->spans()[span].sides;
        said = QStringLiteral("%1 of %2, %3 of %4: %5")
                   .arg(stagesText(sides[m_leftSide]), m_leftLetter, stagesText(sides[m_rightSide]), m_rightLetter,
                        changeText(*change));
        if (const QString reasons = spanReasons(*m_compared, span, m_leftSide, m_rightSide); !reasons.isEmpty())
            said += QLatin1Char('\n') + reasons;
    });
    return said;
}

QStringList SpanGutter::numbers(std::size_t span) const
{
    const QRect arrow = arrowRect(span, Arrow::IntoRight);
    if (!m_compared || arrow.isEmpty())
        return {};
    const auto change = spanChange(*m_compared, span, m_leftSide, m_rightSide);
    if (!change)
        return {};
    double height = 0;
    forSpansInSight([&](std::size_t each, const QRectF &place) {
        if (each == span)
            height = place.intersected(QRectF(viewArea(m_left))).height();
    });
    const QFontMetrics metrics(smallFont());
    const int line = metrics.height();
    const QString percent =
        fittedText({signedPercentText(change->share()),
                    QStringLiteral("%1%2 %").arg(QString(change->share() < 0 ? QChar(0x2212) : QChar(u'+')),
                                                 QString::number(std::abs(change->share()) * 100, 'f', 0))},
                   metrics, width() - 4);
    if (height >= kArrow + 4 * line) // as many lines above the arrows as below them
        return {shortLatencyText(change->fromUs, false), shortLatencyText(change->toUs, false), percent};
    return height >= kArrow + 2 * line ? QStringList{percent} : QStringList();
}

QFont SpanGutter::smallFont() const
{
    QFont small = font();
    small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.8));
    return small;
}

void SpanGutter::paintNumbers(QPainter &painter, std::size_t span) const
{
    const QStringList texts = numbers(span);
    if (texts.isEmpty())
        return;
    const TimeChange change = spanChange(*m_compared, span, m_leftSide, m_rightSide).value_or(TimeChange());
    const Theme theme = themeFor(palette());
    painter.setFont(smallFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const QRect arrow = arrowRect(span, Arrow::IntoRight);
    int top = texts.size() > 1 ? arrow.top() - metrics.height() : arrow.bottom() + 1;
    for (const QString &text : texts) {
        const bool isChange = &text == &texts.back();
        const QRect line(0, top, width(), metrics.height());
        const int textWidth = metrics.horizontalAdvance(text) + 4;
        QColor ground = theme.panel; // over ribbons
        ground.setAlphaF(0.8F);
        painter.fillRect(QRect((width() - textWidth) / 2, top, textWidth, metrics.height()), ground);
        painter.setPen(!isChange || change.isNone() ? theme.text : change.us() < 0 ? theme.faster : theme.slower);
        painter.drawText(line, Qt::AlignCenter, text);
        top = std::max(arrow.bottom() + 1, line.bottom() + 1);
    }
}

bool SpanGutter::event(QEvent *event)
{
    const auto textAt = [this](QPoint point) {
        const auto hit = hitAt(point);
        return hit ? tip(*hit) : tipOfSpanAt(point);
    };
    return showTip(event, this, textAt) || QWidget::event(event);
}

void SpanGutter::paintRibbons(QPainter &painter, std::size_t span) const
{
    const Theme theme = themeFor(palette());
    const auto &leftRows = m_left->page().rows;
    const auto &rightRows = m_right->page().rows;
    const double leftShift = viewArea(m_left).top() - m_left->verticalScrollBar()->value();
    const double rightShift = viewArea(m_right).top() - m_right->verticalScrollBar()->value();
    std::vector<std::size_t> usedAtLeft(leftRows.size());
    std::vector<std::size_t> usedAtRight(rightRows.size());
    for (const StageLink &link : m_compared->links(span, m_leftSide, m_rightSide)) {
        const std::size_t allLeft = m_compared->schedule(m_leftSide).stages[link.a].operatorCount();
        const std::size_t allRight = m_compared->schedule(m_rightSide).stages[link.b].operatorCount();
        const QRectF from =
            ribbonEnd(leftRows[link.a], usedAtLeft[link.a], link.operators, allLeft).translated(0, leftShift);
        const QRectF to =
            ribbonEnd(rightRows[link.b], usedAtRight[link.b], link.operators, allRight).translated(0, rightShift);
        usedAtLeft[link.a] += link.operators;
        usedAtRight[link.b] += link.operators;
        const double middle = width() / 2.0;
        QColor colour = theme.stageFill(link.a);
        QPainterPath path;
        if (leftRows[link.a].rect.height() < kThinRow) {
            path.moveTo(0, from.center().y());
            path.cubicTo(middle, from.center().y(), middle, to.center().y(), width(), to.center().y());
            painter.strokePath(path, QPen(colour, 1));
            continue;
        }
        path.moveTo(0, from.top() + 1);
        path.cubicTo(middle, from.top() + 1, middle, to.top() + 1, width(), to.top() + 1);
        path.lineTo(width(), to.bottom() - 1);
        path.cubicTo(middle, to.bottom() - 1, middle, from.bottom() - 1, 0, from.bottom() - 1);
        path.closeSubpath();
        colour.setAlphaF(theme.dark ? 0.55F : 0.6F);
        painter.fillPath(path, colour);
    }
}

void SpanGutter::paintArrow(QPainter &painter, const QRect &place, Arrow arrow, bool isHovered) const
{
    const Theme theme = themeFor(palette());
    painter.setPen(QPen(isHovered ? theme.accent : theme.edge, 1.2));
    painter.setBrush(isHovered ? theme.accent : theme.canvas);
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QPointF middle = QRectF(place).center();
    const double tip = arrow == Arrow::IntoRight ? 4 : -4;
    painter.setPen(
        QPen(isHovered ? theme.onFill(theme.accent) : theme.text, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawLine(middle - QPointF(tip, 0), middle + QPointF(tip, 0));
    painter.drawPolyline(
        QPolygonF({middle + QPointF(tip / 4, -3.5), middle + QPointF(tip, 0), middle + QPointF(tip / 4, 3.5)}));
}

void SpanGutter::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme theme = themeFor(palette());
    painter.fillRect(rect(), theme.panel);
    painter.setPen(theme.border);
    painter.drawLine(rect().topLeft(), rect().bottomLeft());
    painter.drawLine(rect().topRight(), rect().bottomRight());
    if (!m_compared)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(viewArea(m_left));
    forSpansInSight([&](std::size_t span, const QRectF &) { paintRibbons(painter, span); });
    forSpansInSight([&](std::size_t span, const QRectF &) {
        paintNumbers(painter, span);
        for (const Arrow arrow : {Arrow::IntoRight, Arrow::IntoLeft}) {
            if (const QRect place = arrowRect(span, arrow); !place.isEmpty())
                paintArrow(painter, place, arrow, m_hovered == Hit{span, arrow});
        }
    });
}

void SpanGutter::mouseMoveEvent(QMouseEvent *event)
{
    const auto hit = hitAt(event->position().toPoint());
    if (hit == m_hovered)
        return;
    m_hovered = hit;
    setCursor(hit ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void SpanGutter::mouseReleaseEvent(QMouseEvent *event)
{
    const auto hit = hitAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && hit)
        emit takePressed(hit->span, hit->arrow == Arrow::IntoRight);
}

void SpanGutter::leaveEvent(QEvent *event)
{
    m_hovered.reset();
    update();
    QWidget::leaveEvent(event);
}

} // namespace stagecraft
