#include "widgets/graph/graph_canvas.h"

#include "widgets/base/format.h"
#include "widgets/graph/graph_content.h"
#include "widgets/graph/graph_hit_test.h"
#include "widgets/graph/overlay/hover_card.h"
#include "widgets/graph/paint/graph_painter.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kHoverMs = 350;
constexpr int kBusyMs = 120; // quicker layouts show no busy indicator
constexpr double kHitSlackPx = 4;
constexpr double kDoubleClickZoom = 1.1;
constexpr QMarginsF kSelectionMargins{110, 110, 110, 110};
constexpr QMarginsF kRevealMargins{48, 76, 48, 48}; // without tools
constexpr QMarginsF kFitMargins{28, 60, 28, 28};    // room for the tools at the top
constexpr QMarginsF kPlainMargins{12, 12, 12, 12};
constexpr double kReadableZoom = 0.36; // the smallest zoom at which a card shows its type
constexpr QMarginsF kFramedMargins{8, 8, 8, 8};
constexpr double kFramedZoom = 0.62;      // what is around is seen, too
constexpr double kTypeAndNameZoom = 0.55; // the smallest zoom at which a card shows both

// After opening: the whole graph if cards stay readable, else its top.
Viewport firstView(const Viewport &viewport, const GraphDrawing &drawing, const QMarginsF &margins)
{
    const QRectF &content = drawing.bounds;
    Viewport whole = fitted(viewport, content, margins);
    if (whole.zoom >= kReadableZoom)
        return whole;
    // Fits the width, from the top; a graph too wide for the titles of its blocks starts at its first operator.
    const double width = (viewport.size.width() - margins.left() - margins.right()) / std::max(content.width(), 1.0);
    const bool isWide = width < kTitleZoom;
    whole.zoom = isWide ? kReadableZoom : std::min(width, 0.8);
    whole.centre.setY(content.top() + (viewport.size.height() / 2 - margins.top()) / whole.zoom);
    if (isWide && !drawing.nodes.empty()) {
        const auto top = [](const DrawingNode &node) { return node.rect.top(); };
        whole.centre.setX(std::ranges::min_element(drawing.nodes, {}, top)->rect.center().x());
    }
    return whole;
}

} // namespace

GraphCanvas::GraphCanvas(QWidget *parent) : Canvas(parent), m_content(std::make_unique<GraphContent>())
{
    m_hoverTimer.setSingleShot(true);
    m_hoverTimer.setInterval(kHoverMs);
    m_busyTimer.setSingleShot(true);
    m_busyTimer.setInterval(kBusyMs);
    connect(&m_hoverTimer, &QTimer::timeout, this, [this] {
        m_isHoverShown = true;
        update();
    });
    connect(&m_busyTimer, &QTimer::timeout, this, [this] {
        m_isBusyShown = true;
        update();
    });
}

GraphCanvas::~GraphCanvas() = default;

std::optional<QRectF> GraphCanvas::content() const
{
    return m_content->isLaidOut() ? std::optional(m_content->drawing().bounds) : std::nullopt;
}

QMarginsF GraphCanvas::fitMargins() const
{
    return m_isPlain ? kPlainMargins : kFitMargins;
}

QMarginsF GraphCanvas::revealMargins() const
{
    if (m_isPlain)
        return kPlainMargins;
    QMarginsF margins = kRevealMargins;
    margins.setTop(std::max<double>(margins.top(), coveredTop()));
    return margins;
}

void GraphCanvas::showStart()
{
    moveTo(firstView(viewport(), m_content->drawing(), fitMargins()), false);
}

void GraphCanvas::showAround(std::span<const OperatorId> operators, bool animated)
{
    QRectF rect;
    for (const OperatorId op : operators)
        rect |= m_content->rectOf(op);
    const Viewport all = fitted(destination(), m_content->drawing().bounds, fitMargins());
    const bool isReadable = all.zoom >= kTypeAndNameZoom;
    moveTo(isReadable ? all : fitted(destination(), rect, kFramedMargins, kFramedZoom), animated);
}

void GraphCanvas::reveal(const QRectF &sceneRect)
{
    if (!sceneRect.isEmpty())
        moveTo(revealing(destination(), sceneRect, revealMargins()), true);
}

void GraphCanvas::revealReadably(OperatorId op)
{
    const QRectF rect = m_content->rectOf(op);
    const Viewport shown = revealing(destination(), rect, revealMargins());
    moveTo(shown.zoom < kReadableZoom ? fitted(shown, rect, fitMargins(), 0.7) : shown, true);
}

void GraphCanvas::fitVisible()
{
    moveTo(fitted(viewport(), m_content->shownRect(), fitMargins()), true);
}

void GraphCanvas::zoomToSelection()
{
    const QRectF rect = m_content->isLaidOut() ? m_content->selectedRect() : QRectF();
    if (!rect.isEmpty())
        moveTo(fitted(viewport(), rect, kSelectionMargins, 1.25), true);
}

GraphHit GraphCanvas::hitAt(const QPointF &position) const
{
    if (!m_content->isLaidOut() || !canvas().contains(position))
        return {};
    const GraphHit hit = hitTest(*m_content->scene.prepared, viewport().toScene(position), zoom(), kHitSlackPx);
    return hit.kind == GraphHit::Kind::Node && !isShown(m_content->scene.emphasis, hit.node) ? GraphHit{} : hit;
}

bool GraphCanvas::isOperator(const GraphHit &hit) const
{
    return hit.kind == GraphHit::Kind::Node && m_content->drawing().nodes[hit.node].kind == DrawingNode::Kind::Operator;
}

bool GraphCanvas::isBlock(const GraphHit &hit) const
{
    return hit.kind == GraphHit::Kind::BlockTitle ||
           (hit.kind == GraphHit::Kind::Node &&
            m_content->drawing().nodes[hit.node].kind == DrawingNode::Kind::FoldedBlock);
}

void GraphCanvas::setHovered(std::optional<std::uint32_t> node)
{
    if (std::exchange(m_content->scene.emphasis.hovered, node) == node)
        return;
    m_isHoverShown = false;
    if (node)
        m_hoverTimer.start();
    else
        m_hoverTimer.stop();
    update();
}

void GraphCanvas::setBusy(bool isBusy)
{
    if (isBusy) {
        m_busyTimer.start();
        return;
    }
    m_busyTimer.stop();
    m_isBusyShown = false;
}

void GraphCanvas::pointAt(const QPointF &position)
{
    const GraphHit hit = hitAt(position);
    setHovered(isOperator(hit) ? std::optional(hit.node) : std::nullopt);
    setCursor(isOperator(hit) || isBlock(hit) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const GraphHit hit = hitAt(event->position());
    if (event->button() != Qt::LeftButton || isInMinimap(event->position()))
        return;
    if (hit.kind == GraphHit::Kind::Node) {
        Viewport target = viewport();
        target.centre = m_content->drawing().nodes[hit.node].rect.center();
        target.zoom = std::max(target.zoom, kDoubleClickZoom);
        moveTo(target, true);
    } else if (hit.kind == GraphHit::Kind::Nothing) {
        moveTo(zoomedAbout(viewport(), event->position(), 1.6), true);
    }
}

void GraphCanvas::paintBusy(QPainter &painter) const
{
    painter.setPen(m_content->scene.theme.mutedText);
    const auto operators = static_cast<std::int64_t>(m_content->graph->size());
    if (m_content->isLaidOut())
        painter.drawText(QPointF(12, 24), QStringLiteral("Laying out…"));
    else
        painter.drawText(rect(), Qt::AlignCenter, QStringLiteral("Laying out %1…").arg(plural(operators, "operator")));
}

void GraphCanvas::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    const QRect clip = event->rect();
    const GraphScene &scene = m_content->scene;
    painter.fillRect(clip, scene.theme.canvas);
    if (m_content->isLaidOut()) {
        painter.save();
        painter.setClipRect(canvas(), Qt::IntersectClip);
        paintGraph(painter, scene, viewport(), QRectF(clip).intersected(canvas()));
        painter.restore();
        paintMinimap(painter, scene.theme);
    }
    if (m_isBusyShown && m_content->graph)
        paintBusy(painter);
    if (m_isHoverShown && scene.emphasis.hovered) {
        const DrawingNode &node = m_content->drawing().nodes[*scene.emphasis.hovered];
        paintHoverCard(
            painter,
            hoverCard(*m_content->graph, node.op, m_content->places[node.op.index()], m_content->schedule.get()),
            viewport().toView(node.rect), QRectF(rect()), scene.theme, font());
    }
}

void GraphCanvas::paintContent(QPainter &painter, const QRectF &into) const
{
    paintOverview(painter, m_content->scene, into);
}

} // namespace stagecraft
