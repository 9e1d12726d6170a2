#include "widgets/graph/graph_view.h"

#include "widgets/base/selection.h"
#include "widgets/graph/graph_view_state.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr QMarginsF kSelectionMargins{110, 110, 110, 110};

} // namespace

GraphView::GraphView(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    setAccessibleName(QStringLiteral("Graph"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(160, 120);
}

GraphView::~GraphView() = default;

void GraphView::setModel(std::shared_ptr<const Graph> graph, Blocks blocks)
{
    Private &d = *m_private;
    d.runner.cancel();
    d.animation.stop();
    d.graph = std::move(graph);
    d.blocks = std::move(blocks);
    d.schedule = nullptr;
    d.timeline = nullptr;
    d.compared = nullptr;
    d.layoutCosts = nullptr;
    d.chosen.clear();
    d.selectedBefore.reset();
    d.selectedNow.reset();
    d.isIsolated = false;
    d.marks.clear();
    d.framed.clear();
    d.folded.assign(d.blocks.size(), false);
    d.scene.prepared = nullptr;
    d.scene.styles.clear();
    d.scene.emphasis = {};
    d.finder.clear();
    d.findBar->setText({});
    d.findBar->showHits(0, {});
    d.findBar->hide();
    d.firstDrawing = true;
    d.busyShown = false;
    d.toolbar->hide();
    d.placeOverlays();
    d.startDrawing();
    update();
}

const std::shared_ptr<const Graph> &GraphView::graph() const
{
    return m_private->graph;
}

void GraphView::setSchedule(std::shared_ptr<const Schedule> schedule)
{
    m_private->schedule = std::move(schedule);
    m_private->searchAgain();
    m_private->refreshStyles();
    m_private->refreshEmphasis();
}

void GraphView::setTimeline(std::shared_ptr<const TimelineIndex> timeline)
{
    Private &d = *m_private;
    if (d.timeline == timeline)
        return;
    d.timeline = std::move(timeline);
    d.searchAgain();
    if (d.colouring == Colouring::Utilisation || d.colouring == Colouring::Lost)
        d.refreshStyles();
}

void GraphView::setComparedSchedule(std::shared_ptr<const Schedule> other, const QString &name)
{
    Private &d = *m_private;
    if (d.compared == other && d.comparedName == name)
        return;
    d.compared = std::move(other);
    d.comparedName = name;
    if (d.colouring == Colouring::Moved)
        d.refreshStyles();
}

void GraphView::setLayoutCosts(std::shared_ptr<const LayoutCosts> costs)
{
    Private &d = *m_private;
    if (d.layoutCosts == costs)
        return;
    d.layoutCosts = std::move(costs);
    if (d.colouring == Colouring::Layout)
        d.refreshStyles();
}

void GraphView::setColouring(Colouring colouring)
{
    if (m_private->colouring == colouring)
        return;
    m_private->colouring = colouring;
    m_private->refreshStyles();
    emit colouringChanged(colouring);
}

Colouring GraphView::colouring() const
{
    return m_private->colouring;
}

void GraphView::setMarks(std::vector<OperatorMark> marks)
{
    m_private->marks = std::move(marks);
    m_private->refreshStyles();
}

void GraphView::setTerminalWords(const TerminalWords &words)
{
    m_private->words = words;
}

void GraphView::showOperators(std::vector<OperatorId> operators)
{
    Private &d = *m_private;
    d.framed = std::move(operators);
    if (!d.hasGraph()) // when it is laid out
        return;
    d.refreshEmphasis();
    d.showAgain(true);
}

void GraphView::setPlain(bool plain)
{
    m_private->isPlain = plain;
    m_private->placeOverlays();
}

QStringList GraphView::badges() const
{
    QStringList texts;
    for (const ConversionBadge &badge : m_private->scene.badges)
        texts << badge.text;
    return texts;
}

void GraphView::setDot(DotRunnerFactory dotRunnerFactory)
{
    m_private->runner.setDot(std::move(dotRunnerFactory));
}

void GraphView::setSamples(const QStringList &names)
{
    m_private->empty->setSamples(names);
}

void GraphView::setStartEntries(const std::vector<StartEntry> &left, const std::vector<StartEntry> &recent)
{
    m_private->empty->setEntries(left, recent);
}

void GraphView::find(const QString &text)
{
    Private &d = *m_private;
    if (!d.graph)
        return;
    d.search(text);
    if (d.hasGraph()) { // the first match that is not above the view
        const double top = d.viewport.visible().top();
        for (std::size_t i = 0; i < d.finder.matches().size(); ++i) {
            const std::uint32_t node = d.scene.prepared->drawing.nodeOfOperator[d.finder.matches()[i].index()];
            if (d.scene.prepared->drawing.nodes[node].rect.top() >= top) {
                d.finder.setCurrent(static_cast<int>(i));
                break;
            }
        }
    }
    d.showMatch();
}

int GraphView::matchCount() const
{
    return static_cast<int>(m_private->finder.matches().size());
}

int GraphView::currentMatch() const
{
    return m_private->finder.current();
}

void GraphView::findNext()
{
    m_private->finder.step(1);
    m_private->showMatch();
}

void GraphView::findPrevious()
{
    m_private->finder.step(-1);
    m_private->showMatch();
}

void GraphView::selectMatch(int by)
{
    Private &d = *m_private;
    if (d.finder.current() < 0 || !d.hasGraph())
        return;
    const auto current = [&] { return d.finder.matches()[static_cast<std::size_t>(d.finder.current())]; };
    if (d.selection && d.selection->current().op == current())
        d.finder.step(by);
    if (d.selection) {
        const auto &place = d.places[current().index()];
        d.ownSelection = true; // showMatch() moves there
        d.selection->set({current(), place ? std::optional(place->stage) : std::nullopt});
        d.ownSelection = false;
    }
    d.showMatch();
}

void GraphView::showFindBar()
{
    if (!m_private->graph)
        return;
    m_private->findBar->open();
    m_private->placeOverlays();
}

void GraphView::setBlockFolded(std::size_t block, bool folded)
{
    Private &d = *m_private;
    if (block >= d.folded.size() || d.folded[block] == folded)
        return;
    d.folded[block] = folded;
    d.keepInPlace = block;
    d.startDrawing();
}

bool GraphView::isBlockFolded(std::size_t block) const
{
    return block < m_private->folded.size() && m_private->folded[block];
}

void GraphView::setAllFolded(bool folded)
{
    Private &d = *m_private;
    d.folded.assign(d.blocks.size(), folded);
    d.firstDrawing = true; // a new drawing: show it from the start
    d.startDrawing();
}

bool GraphView::isBusy() const
{
    return m_private->runner.isRunning();
}

bool GraphView::isMoving() const
{
    return m_private->animation.state() == QAbstractAnimation::Running;
}

double GraphView::zoom() const
{
    return m_private->viewport.zoom;
}

QSize GraphView::sizeHint() const
{
    return {520, 640};
}

void GraphView::fitAll()
{
    if (m_private->hasGraph())
        m_private->moveTo(fitted(m_private->viewport, m_private->content(), m_private->fitMargins()), true);
}

void GraphView::zoomToSelection()
{
    if (!m_private->hasGraph())
        return;
    if (const QRectF rect = m_private->selectedRect(); !rect.isEmpty())
        m_private->moveTo(fitted(m_private->viewport, rect, kSelectionMargins, 1.25), true);
}

void GraphView::zoomIn()
{
    m_private->moveTo(zoomedAbout(m_private->destination, QRectF(rect()).center(), 1.25), true);
}

void GraphView::zoomOut()
{
    m_private->moveTo(zoomedAbout(m_private->destination, QRectF(rect()).center(), 0.8), true);
}

} // namespace stagecraft
