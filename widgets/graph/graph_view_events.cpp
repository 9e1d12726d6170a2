// Mouse, wheel, trackpad and keyboard events of the graph view.

#include "widgets/graph/graph_view.h"
#include "widgets/graph/graph_view_state.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace stagecraft {
namespace {

constexpr double kHitSlackPx = 4;
constexpr double kWheelZoom = 1.0 / 480; // octaves per eighth of a degree
constexpr double kWheelPan = 0.6;        // pixels per eighth of a degree
constexpr double kKeyPan = 80;
constexpr double kDoubleClickZoom = 1.1;

} // namespace

GraphHit GraphView::Private::hitAt(const QPointF &position) const
{
    if (!hasGraph() || !canvas().contains(position))
        return {};
    const GraphHit hit = hitTest(*scene.prepared, viewport.toScene(position), viewport.zoom, kHitSlackPx);
    return hit.kind == GraphHit::Kind::Node && !isShown(scene.emphasis, hit.node) ? GraphHit{} : hit;
}

bool GraphView::Private::inMinimap(const QPointF &position) const
{
    const auto place = minimapHere();
    return place && place->box.contains(position);
}

void GraphView::Private::setHovered(std::optional<std::uint32_t> node)
{
    if (scene.emphasis.hovered == node)
        return;
    scene.emphasis.hovered = node;
    hoverShown = false;
    if (node)
        hoverTimer.start();
    else
        hoverTimer.stop();
    q->update();
}

void GraphView::Private::hoverAt(const QPointF &position)
{
    if (inMinimap(position)) {
        setHovered(std::nullopt);
        q->setCursor(Qt::PointingHandCursor);
        return;
    }
    const GraphHit hit = hitAt(position);
    const bool isOperator =
        hit.kind == GraphHit::Kind::Node && scene.prepared->drawing.nodes[hit.node].kind == DrawingNode::Kind::Operator;
    setHovered(isOperator ? std::optional(hit.node) : std::nullopt);
    const bool acts = hit.kind == GraphHit::Kind::BlockTitle || isOperator ||
                      (hit.kind == GraphHit::Kind::Node &&
                       scene.prepared->drawing.nodes[hit.node].kind == DrawingNode::Kind::FoldedBlock);
    q->setCursor(acts ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void GraphView::Private::press(const QPointF &position)
{
    pressedAt = position;
    draggedFrom = position;
    if (inMinimap(position)) {
        dragging = Drag::Minimap;
        drag(position);
        return;
    }
    dragging = Drag::Pending;
}

void GraphView::Private::drag(const QPointF &position)
{
    if (dragging == Drag::Minimap) {
        if (const auto place = minimapHere()) {
            Viewport target = viewport;
            target.centre = place->toScene(position);
            moveTo(target, false);
        }
        return;
    }
    if (dragging == Drag::Pending && (position - pressedAt).manhattanLength() >= QApplication::startDragDistance()) {
        dragging = Drag::Pan;
        setHovered(std::nullopt);
        q->setCursor(Qt::ClosedHandCursor);
    }
    if (dragging == Drag::Pan) {
        moveTo(panned(viewport, position - draggedFrom), false);
        draggedFrom = position;
    }
}

void GraphView::Private::release(const QPointF &position, Qt::KeyboardModifiers modifiers)
{
    const Drag was = dragging;
    dragging = Drag::None;
    if (was == Drag::Pending && hasGraph()) {
        const GraphHit hit = hitAt(position);
        const bool isFolded = hit.kind == GraphHit::Kind::Node &&
                              scene.prepared->drawing.nodes[hit.node].kind == DrawingNode::Kind::FoldedBlock;
        if (hit.kind == GraphHit::Kind::BlockTitle || isFolded)
            q->setBlockFolded(hit.block, !folded[hit.block]);
        else if (hit.kind == GraphHit::Kind::Node) {
            select(hit.node);
            if (modifiers & Qt::ShiftModifier)
                q->choosePath();
        } else if (selection)
            selection->clear();
    }
    hoverAt(position);
}

bool GraphView::event(QEvent *event)
{
    if (event->type() == QEvent::NativeGesture) {
        const auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            m_private->moveTo(zoomedAbout(m_private->viewport, gesture->position(), 1 + gesture->value()), false);
            return true;
        }
    }
    if (event->type() == QEvent::ShortcutOverride) { // keys of the canvas take precedence over those of the window
        const auto *key = static_cast<QKeyEvent *>(event);
        if (m_private->hasGraph() && (key->matches(QKeySequence::Find) || key->key() == Qt::Key_Escape)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void GraphView::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    m_private->paint(painter, event->rect());
}

void GraphView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->placeOverlays();
    if (m_private->isPlain && m_private->hasGraph())
        m_private->showAgain(false);
}

void GraphView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        m_private->refreshTheme();
    if (event->type() == QEvent::FontChange) {
        m_private->refreshTheme();
        m_private->startDrawing();
    }
}

void GraphView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton)
        m_private->press(event->position());
    else
        QWidget::mousePressEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_private->dragging == Private::Drag::None)
        m_private->hoverAt(event->position());
    else
        m_private->drag(event->position());
}

void GraphView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::MiddleButton && m_private->dragging == Private::Drag::Pending)
        m_private->dragging = Private::Drag::None; // a middle click does not select
    if (m_private->dragging != Private::Drag::None)
        m_private->release(event->position(), event->modifiers());
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const GraphHit hit = m_private->hitAt(event->position());
    if (event->button() != Qt::LeftButton || m_private->inMinimap(event->position()))
        return;
    if (hit.kind == GraphHit::Kind::Node) {
        const QRectF rect = m_private->scene.prepared->drawing.nodes[hit.node].rect;
        Viewport target = m_private->viewport;
        target.centre = rect.center();
        target.zoom = std::max(target.zoom, kDoubleClickZoom);
        m_private->moveTo(target, true);
    } else if (hit.kind == GraphHit::Kind::Nothing) {
        m_private->moveTo(zoomedAbout(m_private->viewport, event->position(), 1.6), true);
    }
}

void GraphView::leaveEvent(QEvent *event)
{
    m_private->setHovered(std::nullopt);
    QWidget::leaveEvent(event);
}

void GraphView::wheelEvent(QWheelEvent *event)
{
    if (!m_private->hasGraph())
        return;
    const QPointF pixels = event->pixelDelta();
    const QPointF angle = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        const double turn = angle.y() != 0 ? angle.y() : angle.x();
        m_private->moveTo(zoomedAbout(m_private->destination, event->position(), std::exp2(turn * kWheelZoom)),
                          pixels.isNull());
    } else if (!pixels.isNull()) {
        m_private->moveTo(panned(m_private->viewport, pixels), false); // a trackpad needs no animation
    } else {
        const bool sideways = event->modifiers() & Qt::ShiftModifier;
        const QPointF delta = sideways && angle.x() == 0 ? QPointF(angle.y(), 0) : angle;
        m_private->moveTo(panned(m_private->destination, delta * kWheelPan), true);
    }
    event->accept();
}

void GraphView::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    if (!d.hasGraph()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const bool selected = d.selection && d.selection->current().op;
    const auto go = [&](Direction direction, double x, double y) {
        if (selected)
            d.step(direction);
        else
            d.moveTo(panned(d.destination, QPointF(x, y)), true);
    };
    if (event->matches(QKeySequence::Find)) {
        showFindBar();
        return;
    }
    if (event->matches(QKeySequence::FindNext)) {
        findNext();
        return;
    }
    if (event->matches(QKeySequence::FindPrevious)) {
        findPrevious();
        return;
    }
    const bool zooms = event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal || event->key() == Qt::Key_Minus ||
                       event->key() == Qt::Key_0;
    if ((event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) && !zooms) {
        QWidget::keyPressEvent(event); // may be a shortcut of the window
        return;
    }
    switch (event->key()) {
    case Qt::Key_Up: go(Direction::Up, 0, kKeyPan); break;
    case Qt::Key_Down: go(Direction::Down, 0, -kKeyPan); break;
    case Qt::Key_Left: go(Direction::Left, kKeyPan, 0); break;
    case Qt::Key_Right: go(Direction::Right, -kKeyPan, 0); break;
    case Qt::Key_PageUp: d.moveTo(panned(d.destination, QPointF(0, height() * 0.8)), true); break;
    case Qt::Key_PageDown: d.moveTo(panned(d.destination, QPointF(0, -height() * 0.8)), true); break;
    case Qt::Key_Home: d.showFirst(); break;
    case Qt::Key_End: {
        Viewport target = d.destination;
        target.centre.setY(d.content().bottom() - (height() / 2.0 - kKeyPan) / target.zoom);
        d.moveTo(target, true);
        break;
    }
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); break;
    case Qt::Key_S:
    case Qt::Key_Minus: zoomOut(); break;
    case Qt::Key_A: d.moveTo(panned(d.destination, QPointF(kKeyPan, 0)), true); break;
    case Qt::Key_D: d.moveTo(panned(d.destination, QPointF(-kKeyPan, 0)), true); break;
    case Qt::Key_F:
    case Qt::Key_0: fitAll(); break;
    case Qt::Key_Z:
    case Qt::Key_Return: zoomToSelection(); break;
    case Qt::Key_Escape:
        if (d.findBar->isVisible())
            emit d.findBar->closed();
        else if (d.isIsolated || !d.chosen.empty()) {
            d.isIsolated = false;
            d.chosen.clear();
            d.refreshEmphasis();
        } else if (d.selection)
            d.selection->clear();
        break;
    default: QWidget::keyPressEvent(event); break;
    }
}

} // namespace stagecraft
