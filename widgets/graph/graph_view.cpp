#include "widgets/graph/graph_view.h"

#include "widgets/base/selection.h"
#include "widgets/graph/drawing/drawing_runner.h"
#include "widgets/graph/graph_choice.h"
#include "widgets/graph/graph_content.h"
#include "widgets/graph/graph_hit_test.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/overlay/empty_state.h"
#include "widgets/graph/overlay/graph_toolbar.h"

#include <QKeyEvent>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kOverlayMargin = 12;
constexpr int kLeastCanvas = 150; // pixels of height, without the key

} // namespace

GraphView::GraphView(Selection *selection, QWidget *parent)
    : GraphCanvas(parent), m_selection(selection), m_runner(new DrawingRunner(this)),
      m_choice(new GraphChoice(&shown(), selection, this)), m_empty(new EmptyState(this)),
      m_toolbar(new GraphToolbar(this)), m_legend(new GraphLegend(this)), m_search(new GraphSearch(&shown(), this))
{
    setAccessibleName(QStringLiteral("Graph"));
    setMinimumSize(160, 120);
    m_toolbar->hide();
    m_legend->hide();
    connectParts();
    refreshAppearance();
}

GraphView::~GraphView() = default;

void GraphView::connectParts()
{
    connect(m_runner, &DrawingRunner::finished, this, &GraphView::showLayout);
    connect(m_empty, &EmptyState::openRequested, this, &GraphView::openRequested);
    connect(m_empty, &EmptyState::sampleRequested, this, &GraphView::sampleRequested);
    connect(m_empty, &EmptyState::tourRequested, this, &GraphView::tourRequested);
    connect(m_empty, &EmptyState::continueRequested, this, &GraphView::continueRequested);
    connect(m_empty, &EmptyState::recentRequested, this, &GraphView::recentRequested);
    connect(m_legend, &GraphLegend::colouringChosen, this, &GraphView::setColouring);
    connect(m_toolbar, &GraphToolbar::zoomInRequested, this, &GraphView::zoomIn);
    connect(m_toolbar, &GraphToolbar::zoomOutRequested, this, &GraphView::zoomOut);
    connect(m_toolbar, &GraphToolbar::actualSizeRequested, this, &GraphView::zoomToActualSize);
    connect(m_toolbar, &GraphToolbar::fitRequested, this, &GraphView::fitAll);
    connect(m_toolbar, &GraphToolbar::foldRequested, this, &GraphView::setAllFolded);
    connect(m_toolbar, &GraphToolbar::findRequested, this, &GraphView::showFindBar);
    const FindBar *bar = m_search->bar();
    connect(bar, &FindBar::textChanged, this, &GraphView::find);
    connect(bar, &FindBar::nextRequested, this, [this] { selectMatch(1); });
    connect(bar, &FindBar::previousRequested, this, [this] { selectMatch(-1); });
    connect(bar, &FindBar::hitChosen, this, [this](int match) {
        m_search->setCurrent(match);
        selectMatch(0);
    });
    connect(bar, &FindBar::closed, this, &GraphView::closeFindBar);
    connect(m_search, &GraphSearch::changed, this, [this] {
        refreshEmphasis();
        placeOverlays();
        emit matchesChanged(currentMatch(), matchCount());
    });
    connect(m_choice, &GraphChoice::chosen, this, [this](const QString &what) {
        refreshEmphasis();
        setAccessibleDescription(what);
        setToolTip({});
    });
    connect(m_choice, &GraphChoice::isolated, this, [this](bool on) {
        refreshEmphasis();
        if (on)
            fitVisible();
    });
    if (m_selection)
        connect(m_selection, &Selection::changed, this, &GraphView::selectionChanged);
}

void GraphView::setModel(std::shared_ptr<const Graph> graph, Blocks blocks)
{
    m_runner->cancel();
    stop();
    shown().setModel(std::move(graph), std::move(blocks));
    m_choice->reset();
    m_framed.clear();
    m_folded.assign(shown().blocks.size(), false);
    m_search->reset();
    m_isFirstDrawing = true;
    setBusy(false);
    m_toolbar->hide();
    placeOverlays();
    startDrawing();
    update();
}

const std::shared_ptr<const Graph> &GraphView::graph() const
{
    return shown().graph;
}

void GraphView::setSchedule(std::shared_ptr<const TimedSchedule> schedule)
{
    shown().schedule = std::move(schedule);
    m_search->findAgain();
    refreshStyles();
    refreshEmphasis();
}

void GraphView::setTimeline(std::shared_ptr<const TimelineIndex> timeline)
{
    if (shown().timeline == timeline)
        return;
    shown().timeline = std::move(timeline);
    m_search->findAgain();
    if (colouring() == Colouring::Utilisation || colouring() == Colouring::Lost)
        refreshStyles();
}

void GraphView::setComparedSchedule(const std::shared_ptr<const TimedSchedule> &other, const QString &name)
{
    const bool isOther = std::exchange(shown().compared, other) != other;
    const bool isRenamed = std::exchange(shown().comparedName, name) != name;
    if ((isOther || isRenamed) && colouring() == Colouring::Moved)
        refreshStyles();
}

void GraphView::setLayoutCosts(const std::shared_ptr<const LayoutCosts> &costs)
{
    if (std::exchange(shown().layoutCosts, costs) != costs && colouring() == Colouring::Layout)
        refreshStyles();
}

void GraphView::setColouring(Colouring colouring)
{
    if (std::exchange(shown().colouring, colouring) == colouring)
        return;
    refreshStyles();
    emit colouringChanged(colouring);
}

Colouring GraphView::colouring() const
{
    return shown().colouring;
}

void GraphView::setMarks(std::vector<OperatorMark> marks)
{
    shown().marks = std::move(marks);
    refreshStyles();
}

void GraphView::showOperators(std::vector<OperatorId> operators)
{
    m_framed = std::move(operators);
    if (!shown().isLaidOut()) // when it is laid out
        return;
    refreshEmphasis();
    showAgain(true);
}

void GraphView::setPlain(bool plain)
{
    GraphCanvas::setPlain(plain);
    placeOverlays();
}

QStringList GraphView::badges() const
{
    QStringList texts;
    for (const ConversionBadge &badge : shown().scene.badges)
        texts << badge.text;
    return texts;
}

void GraphView::setDot(DotRunnerFactory dotRunnerFactory)
{
    m_runner->setDot(std::move(dotRunnerFactory));
}

void GraphView::setSamples(const QStringList &names)
{
    m_empty->setSamples(names);
}

void GraphView::setStartEntries(const std::vector<StartEntry> &left, const std::vector<StartEntry> &recent)
{
    m_empty->setEntries(left, recent);
}

void GraphView::find(const QString &text)
{
    if (!graph())
        return;
    m_search->find(text, viewport().visible().top());
    showMatch();
}

int GraphView::matchCount() const
{
    return static_cast<int>(m_search->found().matches().size());
}

int GraphView::currentMatch() const
{
    return m_search->found().current();
}

void GraphView::stepMatch(int by)
{
    m_search->step(by);
    showMatch();
}

void GraphView::selectMatch(int by)
{
    if (currentMatch() < 0 || !shown().isLaidOut())
        return;
    if (m_selection && m_selection->current().op == m_search->found().currentOperator())
        m_search->step(by);
    select(*m_search->found().currentOperator());
    showMatch();
}

void GraphView::showMatch()
{
    m_search->showFound();
    if (const auto current = m_search->found().currentOperator(); current && shown().isLaidOut())
        revealReadably(*current);
}

void GraphView::showFindBar()
{
    if (!graph())
        return;
    m_search->bar()->open();
    placeOverlays();
}

void GraphView::closeFindBar()
{
    m_search->bar()->hide();
    m_search->bar()->setText({});
    find({});
    setFocus();
}

std::vector<OperatorId> GraphView::chosen() const
{
    return m_choice->operators();
}

bool GraphView::isIsolated() const
{
    return m_choice->isIsolated();
}

const QList<QAction *> &GraphView::viewActions() const
{
    return m_choice->actions();
}

void GraphView::setBlockFolded(std::size_t block, bool folded)
{
    if (block >= m_folded.size() || m_folded[block] == folded)
        return;
    m_folded[block] = folded;
    m_keepInPlace = block;
    startDrawing();
}

bool GraphView::isBlockFolded(std::size_t block) const
{
    return block < m_folded.size() && m_folded[block];
}

void GraphView::setAllFolded(bool folded)
{
    m_folded.assign(shown().blocks.size(), folded);
    m_isFirstDrawing = true; // a new drawing: show it from the start
    startDrawing();
}

bool GraphView::isBusy() const
{
    return m_runner->isRunning();
}

void GraphView::startDrawing()
{
    if (!graph())
        return;
    m_runner->start(graph(), shown().blocks, m_folded, font(), m_words);
    setBusy(true);
    m_toolbar->showFolds(std::ranges::find(m_folded, true) != m_folded.end(), !shown().blocks.empty());
}

void GraphView::showLayout(std::shared_ptr<const PreparedGraph> prepared)
{
    setBusy(false);
    const auto titleOf = [this](std::size_t block) {
        return viewport().toView(shown().drawing().blocks[block].frame.topLeft());
    };
    const auto kept = std::exchange(m_keepInPlace, std::nullopt);
    std::optional<QPointF> held;
    if (kept && shown().isLaidOut() && *kept < shown().drawing().blocks.size())
        held = titleOf(*kept);
    shown().setLayout(std::move(prepared));
    pointAway();
    refreshStyles();
    refreshEmphasis();
    if (std::exchange(m_isFirstDrawing, false)) {
        m_toolbar->setVisible(!isPlain());
        placeOverlays();
        showAgain(false);
    } else if (held) {
        stop();
        moveTo(panned(viewport(), *held - titleOf(*kept)), false);
    }
    placeOverlays();
    if (const auto &failure = shown().drawing().dotFailure)
        emit dotFailed(*failure);
    emit drawingFinished();
}

void GraphView::refreshAppearance()
{
    shown().setAppearance(palette(), font());
    refreshStyles();
}

void GraphView::refreshStyles()
{
    refreshMinimap();
    if (!shown().isLaidOut())
        return;
    m_legend->setState(shown().colour());
    placeOverlays();
    update();
}

void GraphView::refreshEmphasis()
{
    if (!shown().isLaidOut())
        return;
    shown().emphasise(m_selection ? m_selection->current() : Selected{}, m_choice->marks(), isIsolated(), m_framed,
                      m_search->found());
    update();
}

// The key and the minimap have strips of their own, so that no operator is below them.
void GraphView::placeOverlays()
{
    m_empty->setGeometry(rect());
    m_empty->setVisible(!graph() && !isPlain());
    const int legendHeight = m_legend->heightFor(width());
    const bool hasLegend = !isPlain() && shown().isLaidOut() && height() - legendHeight >= kLeastCanvas;
    m_legend->setGeometry(0, height() - legendHeight, width(), legendHeight);
    m_legend->setVisible(hasLegend);
    divide(hasLegend ? legendHeight : 0, !isPlain());
    const int right = static_cast<int>(canvas().width()) - kOverlayMargin;
    m_toolbar->adjustSize();
    m_toolbar->move(std::max(kOverlayMargin, right - m_toolbar->width()), kOverlayMargin);
    const int top = m_toolbar->geometry().bottom() + 8;
    FindBar *bar = m_search->bar();
    bar->fit(width() - 2 * kOverlayMargin, (static_cast<int>(canvas().height()) - top) * 2 / 3);
    bar->move(std::max(kOverlayMargin, right - bar->width()), top);
}

int GraphView::coveredTop() const
{
    return m_search->bar()->isVisible() ? m_search->bar()->geometry().bottom() + kOverlayMargin : 0;
}

void GraphView::showAgain(bool animated)
{
    if (m_framed.empty())
        showStart();
    else
        showAround(m_framed, animated);
}

void GraphView::viewportChanged()
{
    GraphCanvas::viewportChanged();
    m_toolbar->showZoom(zoom());
}

void GraphView::selectionChanged()
{
    m_choice->follow();
    if (!shown().isLaidOut())
        return;
    refreshEmphasis();
    if (!m_isOwnSelection)
        reveal(shown().selectedRect());
    setAccessibleDescription(shown().description(m_selection->current()));
}

void GraphView::select(OperatorId op)
{
    if (!m_selection)
        return;
    m_isOwnSelection = true;
    m_selection->set(shown().selected(op));
    m_isOwnSelection = false;
}

void GraphView::step(Direction direction)
{
    const auto next = nextNode(*shown().scene.prepared, shown().nodeOf(*m_selection->current().op), direction);
    if (!next)
        return;
    const DrawingNode &node = shown().drawing().nodes[*next];
    if (node.kind == DrawingNode::Kind::Operator)
        select(node.op);
    reveal(node.rect);
}

void GraphView::click(const QPointF &position, Qt::KeyboardModifiers modifiers)
{
    const GraphHit hit = hitAt(position);
    if (!shown().isLaidOut())
        return;
    if (isBlock(hit)) {
        setBlockFolded(hit.block, !m_folded[hit.block]);
    } else if (hit.kind == GraphHit::Kind::Node) {
        if (isOperator(hit))
            select(shown().drawing().nodes[hit.node].op);
        if (modifiers & Qt::ShiftModifier)
            m_choice->choosePath();
    } else if (m_selection) {
        m_selection->clear();
    }
}

bool GraphView::event(QEvent *event)
{
    const auto *key = event->type() == QEvent::ShortcutOverride ? static_cast<QKeyEvent *>(event) : nullptr;
    if (key && shown().isLaidOut() && (key->matches(QKeySequence::Find) || key->key() == Qt::Key_Escape)) {
        event->accept(); // keys of the view take precedence over those of the window
        return true;
    }
    return GraphCanvas::event(event);
}

void GraphView::keyPressEvent(QKeyEvent *event)
{
    if (!shown().isLaidOut()) {
        GraphCanvas::keyPressEvent(event);
        return;
    }
    const int key = isShortcut(*event) ? 0 : event->key();
    const bool isAnySelected = m_selection && m_selection->current().op;
    const auto direction = isAnySelected ? directionOf(key) : std::nullopt;
    if (event->matches(QKeySequence::Find))
        showFindBar();
    else if (event->matches(QKeySequence::FindNext))
        findNext();
    else if (event->matches(QKeySequence::FindPrevious))
        findPrevious();
    else if (direction)
        step(*direction);
    else if (key == Qt::Key_Home)
        showStart();
    else if (key == Qt::Key_Z || key == Qt::Key_Return)
        zoomToSelection();
    else if (key != Qt::Key_Escape)
        GraphCanvas::keyPressEvent(event);
    else if (m_search->bar()->isVisible())
        closeFindBar();
    else if (m_choice->drop())
        refreshEmphasis();
    else if (m_selection)
        m_selection->clear();
}

void GraphView::resizeEvent(QResizeEvent *event)
{
    GraphCanvas::resizeEvent(event);
    placeOverlays();
    if (isPlain() && shown().isLaidOut())
        showAgain(false);
}

void GraphView::changeEvent(QEvent *event)
{
    GraphCanvas::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange ||
        event->type() == QEvent::FontChange)
        refreshAppearance();
    if (event->type() == QEvent::FontChange)
        startDrawing();
}

} // namespace stagecraft
