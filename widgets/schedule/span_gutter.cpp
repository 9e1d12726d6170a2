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
#include <QToolButton>

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

void SpanGutter::addButton(QAction *action)
{
    auto *button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setIconSize({18, 18});
    button->move((kWidth - button->sizeHint().width()) / 2, 8);
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

// Of the view that numbers and ribbons stand beside.
QRect SpanGutter::area() const
{
    return viewArea(m_compared && m_compared->schedule(m_leftSide).streams ? m_right : m_left);
}

bool SpanGutter::isDifferent(std::size_t span) const
{
    return !m_compared->isEqual(span, m_leftSide, m_rightSide);
}

// Visits each differing span with its place at the left, in gutter coordinates; beside streams, where its stages are.
template <typename Visit>
void SpanGutter::forSpansInSight(Visit visit) const
{
    if (!m_compared)
        return;
    if (isBesideStreams()) {
        const std::size_t side = m_compared->schedule(m_leftSide).streams ? m_rightSide : m_leftSide;
        const ScheduleView *view = side == m_leftSide ? m_left : m_right;
        const double shift = viewArea(view).top() - view->verticalScrollBar()->value();
        const auto &rows = view->page().rows;
        for (std::size_t span = 0; span < m_compared->spans().size(); ++span) {
            const StageRange &stages = m_compared->spans()[span].sides[side];
            if (stages.end() > rows.size()) // it shows another schedule by now
                return;
            const double top = rows[stages.first].rect.top() + shift;
            const QRectF place(0, top, width(), rows[stages.end() - 1].rect.bottom() + shift - top);
            if (place.intersects(QRectF(viewArea(view))))
                visit(span, place);
        }
        return;
    }
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

QRect SpanGutter::middleOf(std::size_t wanted) const
{
    QRect found;
    forSpansInSight([&](std::size_t span, const QRectF &place) {
        const QRectF seen = place.intersected(QRectF(area()));
        if (span == wanted && seen.height() >= kArrow)
            found = QRect(0, static_cast<int>(seen.center().y()) - kArrow / 2, width(), kArrow);
    });
    return found;
}

QRect SpanGutter::arrowRect(std::size_t span, Arrow arrow) const
{
    const QRect middle = isBesideStreams() ? QRect() : middleOf(span);
    if (middle.isEmpty())
        return {};
    return {arrow == Arrow::IntoRight ? width() - kArrow - 3 : 3, middle.top(), kArrow, kArrow};
}

std::size_t SpanGutter::ribbonCount() const
{
    std::size_t count = 0;
    if (isBesideStreams())
        return count;
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
        const auto sideText = [&](std::size_t side) {
            return stagesText(m_compared->schedule(side), m_compared->spans()[span].sides[side]);
        };
        said = QStringLiteral("%1 of %2, %3 of %4: %5")
                   .arg(sideText(m_leftSide), m_leftLetter, sideText(m_rightSide), m_rightLetter, changeText(*change));
        if (isBesideStreams())
            said += QStringLiteral("\nof stages with their barriers, of launches until all have ended");
        if (const QString reasons = spanReasons(*m_compared, span, m_leftSide, m_rightSide); !reasons.isEmpty())
            said += QLatin1Char('\n') + reasons;
    });
    return said;
}

QStringList SpanGutter::numbers(std::size_t span) const
{
    if (!m_compared || middleOf(span).isEmpty())
        return {};
    const auto change = spanChange(*m_compared, span, m_leftSide, m_rightSide);
    if (!change)
        return {};
    double height = 0;
    forSpansInSight([&](std::size_t each, const QRectF &place) {
        if (each == span)
            height = place.intersected(QRectF(area())).height();
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
    const QRect arrow = middleOf(span);
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
    painter.setClipRect(area());
    if (!isBesideStreams())
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
