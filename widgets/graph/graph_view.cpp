#include "widgets/graph/graph_view.h"

#include "widgets/selection.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QPainter>

namespace stagecraft {

class GraphView::Private {
public:
    Selection *selection = nullptr;
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
    std::shared_ptr<const Schedule> schedule;
    Colouring colouring = Colouring::Stage;
    std::vector<bool> folded;
};

GraphView::GraphView(Selection *selection, QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>())
{
    m_private->selection = selection;
    setAccessibleName(tr("Graph"));
}

GraphView::~GraphView() = default;

void GraphView::setModel(std::shared_ptr<const Graph> graph, Blocks blocks)
{
    m_private->folded.assign(blocks.size(), false);
    m_private->graph = std::move(graph);
    m_private->blocks = std::move(blocks);
    m_private->schedule = nullptr;
    update();
}

const std::shared_ptr<const Graph> &GraphView::graph() const
{
    return m_private->graph;
}

void GraphView::setSchedule(std::shared_ptr<const Schedule> schedule)
{
    m_private->schedule = std::move(schedule);
    update();
}

void GraphView::setOperatorLatencies(std::vector<double>, Provenance)
{
    update();
}

void GraphView::setColouring(Colouring colouring)
{
    if (m_private->colouring == colouring)
        return;
    m_private->colouring = colouring;
    update();
    emit colouringChanged(colouring);
}

Colouring GraphView::colouring() const
{
    return m_private->colouring;
}
void GraphView::setSamples(const QStringList &) {}
void GraphView::find(const QString &) {}
int GraphView::matchCount() const
{
    return 0;
}
int GraphView::currentMatch() const
{
    return -1;
}
void GraphView::setBlockFolded(std::size_t block, bool folded)
{
    m_private->folded[block] = folded;
}
bool GraphView::isBlockFolded(std::size_t block) const
{
    return m_private->folded[block];
}
void GraphView::setAllFolded(bool) {}
bool GraphView::isBusy() const
{
    return false;
}
double GraphView::zoom() const
{
    return 1;
}
QSize GraphView::sizeHint() const
{
    return {480, 640};
}
void GraphView::findNext() {}
void GraphView::findPrevious() {}
void GraphView::showFindBar() {}
void GraphView::fitAll() {}
void GraphView::zoomToSelection() {}
void GraphView::zoomIn() {}
void GraphView::zoomOut() {}
bool GraphView::event(QEvent *event)
{
    return QWidget::event(event);
}

void GraphView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeFor(palette()).canvas);
}

void GraphView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
}
void GraphView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
}
void GraphView::mousePressEvent(QMouseEvent *event)
{
    QWidget::mousePressEvent(event);
}
void GraphView::mouseMoveEvent(QMouseEvent *event)
{
    QWidget::mouseMoveEvent(event);
}
void GraphView::mouseReleaseEvent(QMouseEvent *event)
{
    QWidget::mouseReleaseEvent(event);
}
void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    QWidget::mouseDoubleClickEvent(event);
}
void GraphView::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
}
void GraphView::wheelEvent(QWheelEvent *event)
{
    QWidget::wheelEvent(event);
}
void GraphView::keyPressEvent(QKeyEvent *event)
{
    QWidget::keyPressEvent(event);
}

} // namespace stagecraft
