#include "widgets/graph/graph_view_state.h"

#include "widgets/format.h"
#include "widgets/graph/paint/graph_painter.h"
#include "widgets/shown_name.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kAnimationMs = 180;
constexpr int kHoverMs = 350;
constexpr int kBusyMs = 120;                         // quicker layouts show no busy indicator
constexpr QMarginsF kRevealMargins{48, 76, 48, 110}; // without tools and key
constexpr double kKeepInSight = 60;
constexpr double kReadableZoom = 0.36; // the smallest zoom at which a card shows its type
constexpr double kOverlayMargin = 12;
constexpr QMarginsF kFitMargins{28, 60, 28, 28}; // room for the tools at the top
constexpr QMarginsF kPlainMargins{12, 12, 12, 12};
constexpr QMarginsF kFramedMargins{8, 8, 8, 8};
constexpr double kFramedZoom = 0.62;      // what is around is seen, too
constexpr double kTypeAndNameZoom = 0.55; // the smallest zoom at which a card shows both
constexpr QSize kRoomyView{560, 520};     // smaller views show the choice of colours without the key
constexpr QSize kSmallView{320, 360};     // but the key of numbers and differences down to here: colours need it

} // namespace

GraphView::Private::Private(GraphView *view, Selection *shared)
    : q(view), selection(shared), empty(new EmptyState(view)), toolbar(new GraphToolbar(view)),
      legend(new GraphLegend(view)),
      findBar(new FindBar(QStringLiteral("Find: conv 3x3, type:pool, 192x35x35, /branch.$/"), view))
{
    animation.setStartValue(0.0);
    animation.setEndValue(1.0);
    animation.setDuration(kAnimationMs);
    animation.setEasingCurve(QEasingCurve::OutCubic);
    hoverTimer.setSingleShot(true);
    hoverTimer.setInterval(kHoverMs);
    busyTimer.setSingleShot(true);
    busyTimer.setInterval(kBusyMs);
    connect(&animation, &QVariantAnimation::valueChanged, q,
            [this](const QVariant &t) { setViewport(between(animationStart, destination, t.toDouble())); });
    connect(&hoverTimer, &QTimer::timeout, q, [this] {
        hoverShown = scene.emphasis.hovered.has_value();
        q->update();
    });
    connect(&busyTimer, &QTimer::timeout, q, [this] {
        busyShown = runner.isRunning();
        q->update();
    });
    connect(&runner, &LayoutRunner::finished, q, [this](const auto &prepared) { showLayout(prepared); });
    connect(empty, &EmptyState::openRequested, q, &GraphView::openRequested);
    connect(empty, &EmptyState::sampleRequested, q, &GraphView::sampleRequested);
    connect(empty, &EmptyState::continueRequested, q, &GraphView::continueRequested);
    connect(empty, &EmptyState::recentRequested, q, &GraphView::recentRequested);
    connect(legend, &GraphLegend::colouringChosen, q, &GraphView::setColouring);
    connect(toolbar, &GraphToolbar::zoomInRequested, q, &GraphView::zoomIn);
    connect(toolbar, &GraphToolbar::zoomOutRequested, q, &GraphView::zoomOut);
    connect(toolbar, &GraphToolbar::fitRequested, q, &GraphView::fitAll);
    connect(toolbar, &GraphToolbar::foldRequested, q, &GraphView::setAllFolded);
    connect(toolbar, &GraphToolbar::findRequested, q, &GraphView::showFindBar);
    connect(toolbar, &GraphToolbar::actualSizeRequested, q,
            [this] { moveTo(zoomedAbout(viewport, QRectF(q->rect()).center(), 1 / viewport.zoom), true); });
    connect(findBar, &FindBar::textChanged, q, &GraphView::find);
    connect(findBar, &FindBar::nextRequested, q, [this] { q->selectMatch(1); });
    connect(findBar, &FindBar::previousRequested, q, [this] { q->selectMatch(-1); });
    connect(findBar, &FindBar::closed, q, [this] {
        findBar->hide();
        findBar->setText({});
        q->find({});
        q->setFocus();
    });
    if (selection)
        connect(selection, &Selection::changed, q, [this] { selectionChanged(); });
    toolbar->hide();
    legend->hide();
    createActions();
    refreshTheme();
}

void GraphView::Private::startLayout()
{
    if (!graph)
        return;
    runner.start(graph, blocks, folded, q->font(), words);
    busyTimer.start();
    toolbar->showFolds(std::any_of(folded.begin(), folded.end(), [](bool each) { return each; }), !blocks.empty());
}

void GraphView::Private::showLayout(std::shared_ptr<const PreparedGraph> prepared)
{
    busyTimer.stop();
    busyShown = false;
    std::optional<QPointF> held;
    if (keepInPlace && scene.prepared && *keepInPlace < scene.prepared->layout.blocks.size())
        held = viewport.toView(scene.prepared->layout.blocks[*keepInPlace].frame.topLeft());
    scene.prepared = std::move(prepared);
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
    setHovered(std::nullopt);
    refreshStyles();
    refreshEmphasis();
    if (firstLayout) {
        firstLayout = false;
        toolbar->setVisible(!isPlain);
        legend->setVisible(!isPlain);
        showAgain(false);
    } else if (held) {
        animation.stop();
        const QPointF now = viewport.toView(scene.prepared->layout.blocks[*keepInPlace].frame.topLeft());
        setViewport(panned(viewport, *held - now));
    }
    keepInPlace.reset();
    placeOverlays();
    if (scene.prepared->layout.dotFailure)
        emit q->dotFailed(*scene.prepared->layout.dotFailure);
    emit q->layoutFinished();
}

void GraphView::Private::refreshStyles()
{
    minimap = {};
    if (!hasGraph())
        return;
    places = stagePlaces(*graph, schedule.get());
    const HeatScale scale = heat();
    LegendState state{colouring, schedule ? schedule->stages.size() : 0, false, scale, {}, {}, {}, comparedName};
    if (schedule && compared && colouring == Colouring::Moved)
        state.changes = stageChanges(*graph, *schedule, *compared);
    if (colouring == Colouring::Layout)
        state.layouts = shownLayouts(*graph, schedule.get());
    state.layoutCosts = layoutCosts;
    scene.badges = conversionBadges(*graph, *scene.prepared, state.layouts, layoutCosts.get(), scene.fonts.name);
    scene.styles = nodeStyles(
        {*graph, scene.prepared->layout, places, scale, state.changes, state.layouts, colouring, scene.theme, marks});
    scene.blockStages = stagesOfBlocks(schedule.get(), blocks.size());
    for (std::size_t family = 0; family < kTypeFamilies; ++family) {
        if (std::ranges::any_of(graph->operators(), [&](const Operator &op) { return typeFamily(op) == family; }))
            state.families.push_back(family);
    }
    state.hasMerge = schedule && std::ranges::any_of(schedule->stages, [](const Stage &stage) {
                         return stage.strategy == Strategy::Merge;
                     });
    legend->setState(std::move(state));
    placeOverlays();
    q->update();
}

HeatScale GraphView::Private::heat()
{
    return heatOf(colouring, {*graph, blocks, schedule.get(), timeline.get()});
}

void GraphView::Private::refreshEmphasis()
{
    if (!hasGraph())
        return;
    emphasise(scene.emphasis, *scene.prepared, schedule.get(), selection ? selection->current() : Selected{}, chosen);
    if (isIsolated)
        isolate(scene.emphasis, *scene.prepared);
    if (scene.emphasis.chosen.empty() && !framed.empty()) {
        scene.emphasis.chosen.assign(scene.prepared->layout.nodes.size(), false);
        for (const OperatorId op : framed)
            scene.emphasis.chosen[scene.prepared->layout.nodeOfOperator[op.index()]] = true;
    }
    scene.emphasis.matches.clear();
    scene.emphasis.currentMatch.reset();
    if (!finder.matches().empty()) {
        scene.emphasis.matches.assign(scene.prepared->layout.nodes.size(), false);
        for (const OperatorId op : finder.matches())
            scene.emphasis.matches[scene.prepared->layout.nodeOfOperator[op.index()]] = true;
        const OperatorId current = finder.matches()[static_cast<std::size_t>(finder.current())];
        scene.emphasis.currentMatch = scene.prepared->layout.nodeOfOperator[current.index()];
    }
    q->update();
}

void GraphView::Private::refreshTheme()
{
    scene.theme = themeFor(q->palette());
    scene.fonts = graphFonts(q->font());
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
    refreshStyles();
}

void GraphView::Private::placeOverlays()
{
    const int margin = static_cast<int>(kOverlayMargin);
    empty->setGeometry(q->rect());
    empty->setVisible(!graph && !isPlain);
    toolbar->adjustSize();
    toolbar->move(std::max(margin, q->width() - toolbar->width() - margin), margin);
    findBar->adjustSize();
    findBar->move(std::max(margin, q->width() - findBar->width() - margin), toolbar->geometry().bottom() + 8);
    const QSize least =
        isHeat(colouring) || colouring == Colouring::Moved || colouring == Colouring::Layout ? kSmallView : kRoomyView;
    legend->setCompact(q->width() < least.width() || q->height() < least.height());
    legend->move(margin, q->height() - legend->height() - margin);
    legend->setVisible(!isPlain && hasGraph() && q->height() > legend->height() + 160 &&
                       q->width() > legend->width() + 2 * margin);
}

QRectF GraphView::Private::content() const
{
    return hasGraph() ? scene.prepared->layout.bounds : QRectF();
}

void GraphView::Private::setViewport(const GraphViewport &target)
{
    const double before = viewport.zoom;
    viewport = keptOn(target, content(), kKeepInSight);
    if (animation.state() != QAbstractAnimation::Running)
        destination = viewport;
    hoverShown = false;
    toolbar->showZoom(viewport.zoom);
    q->update();
    if (before != viewport.zoom)
        emit q->zoomChanged(viewport.zoom);
}

void GraphView::Private::moveTo(const GraphViewport &target, bool animated)
{
    animation.stop();
    destination = keptOn(target, content(), kKeepInSight);
    if (!animated || !q->isVisible()) {
        setViewport(destination);
        return;
    }
    animationStart = viewport;
    animation.start();
}

std::optional<MinimapPlace> GraphView::Private::minimapHere() const
{
    return isPlain || !hasGraph() ? std::nullopt : minimapPlace(viewport, content());
}

QMarginsF GraphView::Private::fitMargins() const
{
    return isPlain ? kPlainMargins : kFitMargins;
}

void GraphView::Private::showFramed(bool animated)
{
    QRectF rect;
    for (const OperatorId op : framed)
        rect |= scene.prepared->layout.nodes[scene.prepared->layout.nodeOfOperator[op.index()]].rect;
    GraphViewport target = fitted(destination, content(), fitMargins());
    if (target.zoom < kTypeAndNameZoom) // not with all around it
        target = fitted(destination, rect, kFramedMargins, kFramedZoom);
    moveTo(target, animated);
}

void GraphView::Private::showAgain(bool animated)
{
    if (framed.empty())
        showFirst();
    else
        showFramed(animated);
}

void GraphView::Private::showFirst()
{
    GraphViewport whole = fitted(viewport, content(), fitMargins());
    if (whole.zoom < kReadableZoom) {
        // Fits the width, from the top; a graph too wide to be readable starts at its first operator.
        const double width =
            (viewport.size.width() - fitMargins().left() - fitMargins().right()) / std::max(content().width(), 1.0);
        whole.zoom = std::clamp(width, kReadableZoom, 0.8);
        whole.centre.setY(content().top() + (viewport.size.height() / 2 - fitMargins().top()) / whole.zoom);
        const auto &nodes = scene.prepared->layout.nodes;
        if (width < kReadableZoom && !nodes.empty()) {
            const auto top = [](const LayoutNode &node) { return node.rect.top(); };
            whole.centre.setX(std::ranges::min_element(nodes, {}, top)->rect.center().x());
        }
    }
    moveTo(whole, false);
}

void GraphView::Private::reveal(const QRectF &sceneRect)
{
    if (!sceneRect.isEmpty())
        moveTo(revealing(destination, sceneRect, isPlain ? kPlainMargins : kRevealMargins), true);
}

QRectF GraphView::Private::selectedRect() const
{
    QRectF rect;
    for (std::size_t node = 0; node < scene.emphasis.selected.size(); ++node) {
        if (scene.emphasis.selected[node])
            rect |= scene.prepared->layout.nodes[node].rect;
    }
    return rect;
}

void GraphView::Private::selectionChanged()
{
    const auto op = selection->current().op;
    if (op && op != selectedNow)
        selectedBefore = std::exchange(selectedNow, op);
    if (!hasGraph())
        return;
    if (!isIsolated)
        chosen.clear();
    refreshEmphasis();
    if (!ownSelection)
        reveal(selectedRect());
    const Selected &selected = selection->current();
    QString description;
    if (selected.op && selected.op->index() < graph->size())
        description = QStringLiteral("Operator %1 selected").arg(shownName(graph->op(*selected.op).name));
    else if (selected.stage)
        description = QStringLiteral("%1 selected").arg(stageTitle(*selected.stage));
    else if (selected.block)
        description = QStringLiteral("%1 selected").arg(blockTitle(*selected.block));
    q->setAccessibleDescription(description);
}

void GraphView::Private::select(std::uint32_t node)
{
    if (!selection)
        return;
    const LayoutNode &at = scene.prepared->layout.nodes[node];
    if (at.kind != LayoutNode::Kind::Operator)
        return;
    const auto &place = places[at.op.index()];
    ownSelection = true;
    selection->set({at.op, place ? std::optional(place->stage) : std::nullopt});
    ownSelection = false;
}

void GraphView::Private::step(Direction direction)
{
    if (!selection || !selection->current().op)
        return;
    std::uint32_t node = scene.prepared->layout.nodeOfOperator[selection->current().op->index()];
    if (const auto next = nextNode(*scene.prepared, node, direction)) {
        select(*next);
        reveal(scene.prepared->layout.nodes[*next].rect);
    }
}

void GraphView::Private::showMatch()
{
    refreshEmphasis();
    if (finder.trouble().isEmpty())
        findBar->showMatches(finder.current(), static_cast<int>(finder.matches().size()));
    else
        findBar->showTrouble(finder.trouble());
    emit q->matchesChanged(finder.current(), static_cast<int>(finder.matches().size()));
    if (!hasGraph() || finder.current() < 0)
        return;
    const std::uint32_t node = *scene.emphasis.currentMatch;
    GraphViewport target = revealing(destination, scene.prepared->layout.nodes[node].rect, kRevealMargins);
    if (target.zoom < kReadableZoom) // a match has to be readable
        target = fitted(target, scene.prepared->layout.nodes[node].rect, fitMargins(), 0.7);
    moveTo(target, true);
}

void GraphView::Private::paint(QPainter &painter, const QRect &clip)
{
    painter.fillRect(clip, scene.theme.canvas);
    if (!hasGraph()) {
        if (busyShown && graph) {
            painter.setPen(scene.theme.mutedText);
            painter.drawText(
                q->rect(), Qt::AlignCenter,
                QStringLiteral("Laying out %1…").arg(plural(static_cast<std::int64_t>(graph->size()), "operator")));
        }
        return;
    }
    paintGraph(painter, scene, viewport, clip);
    if (const auto place = minimapHere()) {
        if (minimap.isNull() || minimapSize != place->content.size()) {
            minimapSize = place->content.size();
            minimap = minimapPicture(scene, minimapSize, q->devicePixelRatioF());
        }
        paintMinimap(painter, *place, minimap, viewport, scene.theme);
    }
    if (busyShown) {
        painter.setPen(scene.theme.mutedText);
        painter.drawText(QPointF(kOverlayMargin, kOverlayMargin + 12), QStringLiteral("Laying out…"));
    }
    if (hoverShown && scene.emphasis.hovered) {
        const LayoutNode &node = scene.prepared->layout.nodes[*scene.emphasis.hovered];
        paintHoverCard(painter, hoverCard(*graph, node.op, places[node.op.index()], schedule.get()),
                       viewport.toView(node.rect), QRectF(q->rect()), scene.theme, q->font());
    }
}

} // namespace stagecraft
