#include "widgets/canvas/canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kAnimationMs = 180;
constexpr double kKeepInSight = 60;
constexpr double kWheelZoom = 1.0 / 480; // octaves per eighth of a degree
constexpr double kWheelPan = 0.6;        // pixels per eighth of a degree
constexpr double kKeyPan = 80;

} // namespace

Canvas::Canvas(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_animation.setStartValue(0.0);
    m_animation.setEndValue(1.0);
    m_animation.setDuration(kAnimationMs);
    m_animation.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_animation, &QVariantAnimation::valueChanged, this,
            [this](const QVariant &t) { setViewport(between(m_start, m_destination, t.toDouble())); });
}

bool Canvas::isMoving() const
{
    return m_animation.state() == QAbstractAnimation::Running;
}

void Canvas::fitAll()
{
    if (const auto all = content())
        moveTo(fitted(m_viewport, *all, fitMargins()), true);
}

void Canvas::zoomBy(double factor)
{
    moveTo(zoomedAbout(m_destination, QRectF(rect()).center(), factor), true);
}

void Canvas::zoomToActualSize()
{
    moveTo(zoomedAbout(m_viewport, QRectF(rect()).center(), 1 / m_viewport.zoom), true);
}

void Canvas::setViewport(const Viewport &target)
{
    const double before = m_viewport.zoom;
    m_viewport = keptOn(target, content().value_or(QRectF()), kKeepInSight);
    if (!isMoving())
        m_destination = m_viewport;
    viewportChanged();
    update();
    if (before != m_viewport.zoom)
        emit zoomChanged(m_viewport.zoom);
}

void Canvas::moveTo(const Viewport &target, bool animated)
{
    m_animation.stop();
    m_destination = keptOn(target, content().value_or(QRectF()), kKeepInSight);
    if (!animated || !isVisible()) {
        setViewport(m_destination);
        return;
    }
    m_start = m_viewport;
    m_animation.start();
}

void Canvas::stop()
{
    m_animation.stop();
}

void Canvas::divide(int below, bool hasMinimap)
{
    m_hasMinimap = hasMinimap;
    const QSizeF all(width(), std::max(1, height() - below));
    const double strip = hasMinimap ? minimapWidth(all, content().value_or(QRectF())) : 0;
    const QSizeF size(std::max(1.0, all.width() - strip), all.height());
    if (m_viewport.size == size)
        return;
    for (Viewport *each : {&m_viewport, &m_destination, &m_start}) {
        const QSizeF grown = size - each->size;
        each->centre += QPointF(grown.width(), grown.height()) / 2 / each->zoom;
        each->size = size;
    }
    refreshMinimap();
}

std::optional<MinimapPlace> Canvas::minimapHere() const
{
    const double left = m_viewport.size.width();
    const auto all = content();
    if (!m_hasMinimap || !all || left >= width())
        return std::nullopt;
    return minimapPlace({left, 0, width() - left, m_viewport.size.height()}, *all);
}

bool Canvas::isInMinimap(const QPointF &position) const
{
    const auto place = minimapHere();
    return place && place->box.contains(position);
}

void Canvas::paintMinimap(QPainter &painter, const Theme &theme)
{
    const auto place = minimapHere();
    if (!place)
        return;
    if (m_minimap.isNull() || m_minimapSize != place->content.size()) {
        m_minimapSize = place->content.size();
        m_minimap = QPixmap((m_minimapSize * devicePixelRatioF()).toSize());
        m_minimap.setDevicePixelRatio(devicePixelRatioF());
        m_minimap.fill(Qt::transparent);
        QPainter picture(&m_minimap);
        picture.setRenderHint(QPainter::Antialiasing);
        paintContent(picture, QRectF(QPointF(0, 0), m_minimapSize));
    }
    stagecraft::paintMinimap(painter, *place, m_minimap, m_viewport, theme);
}

bool Canvas::event(QEvent *event)
{
    if (event->type() == QEvent::NativeGesture) {
        const auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            moveTo(zoomedAbout(m_viewport, gesture->position(), 1 + gesture->value()), false);
            return true;
        }
    }
    return QWidget::event(event);
}

void Canvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) {
        QWidget::mousePressEvent(event);
        return;
    }
    m_isMinimapDragged = isInMinimap(event->position());
    m_drag.press(event->position());
    m_draggedFrom = event->position();
    if (m_isMinimapDragged)
        pointOrDrag(event->position());
}

void Canvas::mouseMoveEvent(QMouseEvent *event)
{
    pointOrDrag(event->position());
}

void Canvas::pointOrDrag(const QPointF &position)
{
    if (m_drag.isPressed() && m_isMinimapDragged) {
        if (const auto place = minimapHere()) {
            Viewport target = m_viewport;
            target.centre = place->toScene(position);
            moveTo(target, false);
        }
        return;
    }
    if (m_drag.move(position)) {
        pointAway();
        setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag.isDragged()) {
        moveTo(panned(m_viewport, position - std::exchange(m_draggedFrom, position)), false);
    } else if (!m_drag.isPressed() && isInMinimap(position)) {
        pointAway();
        setCursor(Qt::PointingHandCursor);
    } else if (!m_drag.isPressed()) {
        pointAt(position);
    }
}

void Canvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_drag.isPressed())
        return;
    const bool isClick = m_drag.release() && !m_isMinimapDragged;
    if (isClick && event->button() == Qt::MiddleButton) // does not select
        return;
    if (isClick)
        click(event->position(), event->modifiers());
    pointOrDrag(event->position());
}

void Canvas::leaveEvent(QEvent *event)
{
    pointAway();
    QWidget::leaveEvent(event);
}

void Canvas::wheelEvent(QWheelEvent *event)
{
    if (!content())
        return;
    const QPointF pixels = event->pixelDelta();
    const QPointF angle = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        const double turn = angle.y() != 0 ? angle.y() : angle.x();
        moveTo(zoomedAbout(m_destination, event->position(), std::exp2(turn * kWheelZoom)), pixels.isNull());
    } else if (!pixels.isNull()) {
        moveTo(panned(m_viewport, pixels), false); // a trackpad needs no animation
    } else {
        const bool sideways = event->modifiers() & Qt::ShiftModifier;
        panBy((sideways && angle.x() == 0 ? QPointF(angle.y(), 0) : angle) * kWheelPan);
    }
    event->accept();
}

bool Canvas::isShortcut(const QKeyEvent &event)
{
    const int key = event.key();
    const bool zooms = key == Qt::Key_Plus || key == Qt::Key_Equal || key == Qt::Key_Minus || key == Qt::Key_0;
    return (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) && !zooms;
}

void Canvas::keyPressEvent(QKeyEvent *event)
{
    const double page = height() * 0.8;
    switch (content() && !isShortcut(*event) ? event->key() : 0) {
    case Qt::Key_Up: panBy({0, kKeyPan}); break;
    case Qt::Key_Down: panBy({0, -kKeyPan}); break;
    case Qt::Key_Left:
    case Qt::Key_A: panBy({kKeyPan, 0}); break;
    case Qt::Key_Right:
    case Qt::Key_D: panBy({-kKeyPan, 0}); break;
    case Qt::Key_PageUp: panBy({0, page}); break;
    case Qt::Key_PageDown: panBy({0, -page}); break;
    case Qt::Key_End: {
        Viewport target = m_destination;
        target.centre.setY(content()->bottom() - (height() / 2.0 - kKeyPan) / target.zoom);
        moveTo(target, true);
        break;
    }
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); break;
    case Qt::Key_S:
    case Qt::Key_Minus: zoomOut(); break;
    case Qt::Key_F:
    case Qt::Key_0: fitAll(); break;
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace stagecraft
