#include "widgets/canvas/page_canvas.h"

#include "widgets/canvas/tips.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kLeastZoom = 0.06;
constexpr double kMostZoom = 2.0;
constexpr double kZoomStep = 1.2;

void setPage(QScrollBar *bar, double size, int inSight)
{
    bar->setRange(0, std::max(0, static_cast<int>(std::ceil(size)) - inSight));
    bar->setPageStep(inSight);
    bar->setSingleStep(24);
}

void bring(QScrollBar *bar, double from, double to)
{
    const double top = bar->value();
    const double bottom = top + bar->pageStep();
    if (from < top)
        bar->setValue(static_cast<int>(from));
    else if (to > bottom)
        bar->setValue(static_cast<int>(std::min(from, to - bar->pageStep())));
}

} // namespace

PageCanvas::PageCanvas(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
}

void PageCanvas::setHint(const QString &hint)
{
    m_hint = hint;
    viewport()->update();
}

QPointF PageCanvas::offset() const
{
    return QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
}

void PageCanvas::reveal(const QRectF &rect)
{
    bring(verticalScrollBar(), rect.top() - 8, rect.bottom() + 8);
    if (rect.left() > 0)
        bring(horizontalScrollBar(), rect.left() - 8, rect.right() + 8);
}

void PageCanvas::relayout()
{
    m_size = layOut();
    setPage(verticalScrollBar(), m_size.height(), viewport()->height());
    setPage(horizontalScrollBar(), m_size.width(), viewport()->width());
    viewport()->update();
    emit laidOut();
}

void PageCanvas::scrollToStart()
{
    verticalScrollBar()->setValue(0);
    horizontalScrollBar()->setValue(0);
}

void PageCanvas::zoomAbout(double wanted, QPointF anchor)
{
    const double next = std::clamp(wanted, kLeastZoom, kMostZoom);
    if (next == m_zoom || isEmpty())
        return;
    const double before = m_size.height() > 0 ? (anchor.y() + offset().y()) / m_size.height() : 0;
    m_zoom = next;
    relayout();
    verticalScrollBar()->setValue(static_cast<int>(before * m_size.height() - anchor.y()));
    emit zoomChanged(m_zoom);
}

void PageCanvas::setZoom(double zoom)
{
    zoomAbout(zoom, QPointF(0, 0));
}

void PageCanvas::zoomIn()
{
    zoomAbout(m_zoom * kZoomStep, viewport()->rect().center());
}

void PageCanvas::zoomOut()
{
    zoomAbout(m_zoom / kZoomStep, viewport()->rect().center());
}

void PageCanvas::fitAll()
{
    if (isEmpty())
        return;
    // Sizes are not proportional to the zoom (titles stay readable), hence the bisection.
    double low = kLeastZoom;
    double high = 1;
    for (int step = 0; step < 12; ++step) {
        const double middle = (low + high) / 2;
        const QSizeF size = sizeAt(middle);
        (size.height() <= viewport()->height() && size.width() <= viewport()->width() ? low : high) = middle;
    }
    m_zoom = low;
    relayout();
    emit zoomChanged(m_zoom);
}

bool PageCanvas::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        pointAway();
    if (event->type() == QEvent::ToolTip && !isEmpty() &&
        showTip(event, viewport(), [this](QPoint at) { return tipAt(at); }))
        return true;
    return QAbstractScrollArea::viewportEvent(event);
}

void PageCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    const Theme theme = themeFor(palette());
    painter.fillRect(viewport()->rect(), theme.canvas);
    if (isEmpty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
        return;
    }
    painter.translate(-offset());
    const QRectF visible(offset(), QSizeF(viewport()->size()));
    paintPage(painter, visible, theme);
    if (m_overlay)
        m_overlay(painter, visible);
}

void PageCanvas::resizeEvent(QResizeEvent *)
{
    relayout();
}

void PageCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_drag.press(event->position());
    m_isPan = event->button() == Qt::MiddleButton;
    m_scrolledFrom = offset().toPoint();
}

void PageCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (m_isPan && m_drag.move(event->position()))
        viewport()->setCursor(Qt::ClosedHandCursor);
    if (!m_drag.isDragged()) {
        pointAt(event->position().toPoint());
        return;
    }
    const QPoint target = m_scrolledFrom - (event->position() - m_drag.from()).toPoint();
    horizontalScrollBar()->setValue(target.x());
    verticalScrollBar()->setValue(target.y());
}

void PageCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_drag.isDragged())
        viewport()->unsetCursor();
    if (m_drag.release() && event->button() == Qt::LeftButton)
        click(event->position().toPoint());
}

void PageCanvas::wheelEvent(QWheelEvent *event)
{
    if (!(event->modifiers() & Qt::ControlModifier)) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    zoomAbout(m_zoom * std::pow(kZoomStep, event->angleDelta().y() / 120.0), event->position());
    event->accept();
}

void PageCanvas::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); break;
    case Qt::Key_Minus: zoomOut(); break;
    case Qt::Key_0: fitAll(); break;
    case Qt::Key_1: setZoom(1); break;
    case Qt::Key_Home: verticalScrollBar()->setValue(0); break;
    case Qt::Key_End: verticalScrollBar()->setValue(verticalScrollBar()->maximum()); break;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace stagecraft
