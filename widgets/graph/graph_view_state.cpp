#include "widgets/graph/graph_view_state.h"

#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"
#include "widgets/graph/paint/graph_painter.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kAnimationMs = 180;
constexpr int kHoverMs = 350;
constexpr int kBusyMs = 120;                        // quicker layouts show no busy indicator
constexpr QMarginsF kRevealMargins{48, 76, 48, 48}; // without tools
constexpr double kKeepInSight = 60;
constexpr double kReadableZoom = 0.36; // the smallest zoom at which a card shows its type
constexpr double kOverlayMargin = 12;
constexpr QMarginsF kFitMargins{28, 60, 28, 28}; // room for the tools at the top
constexpr QMarginsF kPlainMargins{12, 12, 12, 12};
constexpr QMarginsF kFramedMargins{8, 8, 8, 8};
constexpr double kFramedZoom = 0.62;      // what is around is seen, too
constexpr double kTypeAndNameZoom = 0.55; // the smallest zoom at which a card shows both
constexpr int kLeastCanvas = 150;         // pixels of height, without the key

} // namespace

GraphView::Private::Private(GraphView *view, Selection *shared)
    : q(view), selection(shared), empty(new EmptyState(view)), toolbar(new GraphToolbar(view)),
      legend(new GraphLegend(view)),
      findBar(new FindBar(QStringLiteral("Find: conv 3x3, type:pool, flops > 50M, /branch.$/"), view))
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
    connect(&runner, &DrawingRunner::finished, q, [this](const auto &prepared) { showLayout(prepared); });
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
    connect(findBar, &FindBar::hitChosen, q, [this](int match) {
        finder.setCurrent(match);
        q->selectMatch(0);
    });
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

void GraphView::Private::startDrawing()
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
    if (keepInPlace && scene.prepared && *keepInPlace < scene.prepared->drawing.blocks.size())
        held = viewport.toView(scene.prepared->drawing.blocks[*keepInPlace].frame.topLeft());
    scene.prepared = std::move(prepared);
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
    setHovered(std::nullopt);
    refreshStyles();
    refreshEmphasis();
    if (firstDrawing) {
        firstDrawing = false;
        toolbar->setVisible(!isPlain);
        placeOverlays();
        showAgain(false);
    } else if (held) {
        animation.stop();
        const QPointF now = viewport.toView(scene.prepared->drawing.blocks[*keepInPlace].frame.topLeft());
        setViewport(panned(viewport, *held - now));
    }
    keepInPlace.reset();
    placeOverlays();
    if (scene.prepared->drawing.dotFailure)
        emit q->dotFailed(*scene.prepared->drawing.dotFailure);
    emit q->drawingFinished();
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
        {*graph, scene.prepared->drawing, places, scale, state.changes, state.layouts, colouring, scene.theme, marks});
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
        scene.emphasis.chosen.assign(scene.prepared->drawing.nodes.size(), false);
        for (const OperatorId op : framed)
            scene.emphasis.chosen[scene.prepared->drawing.nodeOfOperator[op.index()]] = true;
    }
    scene.emphasis.matches.clear();
    scene.emphasis.currentMatch.reset();
    if (!finder.matches().empty()) {
        scene.emphasis.matches.assign(scene.prepared->drawing.nodes.size(), false);
        for (const OperatorId op : finder.matches())
            scene.emphasis.matches[scene.prepared->drawing.nodeOfOperator[op.index()]] = true;
        const OperatorId current = finder.matches()[static_cast<std::size_t>(finder.current())];
        scene.emphasis.currentMatch = scene.prepared->drawing.nodeOfOperator[current.index()];
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

// The key and the minimap have strips of their own, so that no operator is below them.
void GraphView::Private::placeOverlays()
{
    const int margin = static_cast<int>(kOverlayMargin);
    empty->setGeometry(q->rect());
    empty->setVisible(!graph && !isPlain);
    const int legendHeight = legend->heightFor(q->width());
    const bool hasLegend = !isPlain && hasGraph() && q->height() - legendHeight >= kLeastCanvas;
    legend->setGeometry(0, q->height() - legendHeight, q->width(), legendHeight);
    legend->setVisible(hasLegend);
    fitCanvas(hasLegend ? legendHeight : 0);
    const int right = static_cast<int>(viewport.size.width()) - margin;
    toolbar->adjustSize();
    toolbar->move(std::max(margin, right - toolbar->width()), margin);
    const int top = toolbar->geometry().bottom() + 8;
    findBar->fit(q->width() - 2 * margin, (static_cast<int>(viewport.size.height()) - top) * 2 / 3);
    findBar->move(std::max(margin, right - findBar->width()), top);
}

void GraphView::Private::fitCanvas(int legendHeight)
{
    const QSizeF all(q->width(), std::max(1, q->height() - legendHeight));
    const double strip = isPlain ? 0 : minimapWidth(all, content());
    const QSizeF size(std::max(1.0, all.width() - strip), all.height());
    if (viewport.size == size)
        return;
    // What is at the top left stays there.
    for (Viewport *each : {&viewport, &destination, &animationStart}) {
        const QSizeF grown = size - each->size;
        each->centre += QPointF(grown.width(), grown.height()) / 2 / each->zoom;
        each->size = size;
    }
    minimap = {};
}

QRectF GraphView::Private::content() const
{
    return hasGraph() ? scene.prepared->drawing.bounds : QRectF();
}

void GraphView::Private::setViewport(const Viewport &target)
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

void GraphView::Private::moveTo(const Viewport &target, bool animated)
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
    const double left = viewport.size.width();
    if (isPlain || !hasGraph() || left >= q->width())
        return std::nullopt;
    return minimapPlace({left, 0, q->width() - left, viewport.size.height()}, content());
}

QMarginsF GraphView::Private::fitMargins() const
{
    return isPlain ? kPlainMargins : kFitMargins;
}

// What the find bar covers is not in sight.
QMarginsF GraphView::Private::revealMargins() const
{
    if (isPlain)
        return kPlainMargins;
    QMarginsF margins = kRevealMargins;
    if (findBar->isVisible())
        margins.setTop(std::max<double>(margins.top(), findBar->geometry().bottom() + kOverlayMargin));
    return margins;
}

void GraphView::Private::showFramed(bool animated)
{
    QRectF rect;
    for (const OperatorId op : framed)
        rect |= scene.prepared->drawing.nodes[scene.prepared->drawing.nodeOfOperator[op.index()]].rect;
    Viewport target = fitted(destination, content(), fitMargins());
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
    Viewport whole = fitted(viewport, content(), fitMargins());
    if (whole.zoom < kReadableZoom) {
        // Fits the width, from the top; a graph too wide for the titles of its blocks starts at its first operator.
        const double width =
            (viewport.size.width() - fitMargins().left() - fitMargins().right()) / std::max(content().width(), 1.0);
        const bool isWide = width < kTitleZoom;
        whole.zoom = isWide ? kReadableZoom : std::min(width, 0.8);
        whole.centre.setY(content().top() + (viewport.size.height() / 2 - fitMargins().top()) / whole.zoom);
        const auto &nodes = scene.prepared->drawing.nodes;
        if (isWide && !nodes.empty()) {
            const auto top = [](const DrawingNode &node) { return node.rect.top(); };
            whole.centre.setX(std::ranges::min_element(nodes, {}, top)->rect.center().x());
        }
    }
    moveTo(whole, false);
}

void GraphView::Private::reveal(const QRectF &sceneRect)
{
    if (!sceneRect.isEmpty())
        moveTo(revealing(destination, sceneRect, revealMargins()), true);
}

QRectF GraphView::Private::selectedRect() const
{
    QRectF rect;
    for (std::size_t node = 0; node < scene.emphasis.selected.size(); ++node) {
        if (scene.emphasis.selected[node])
            rect |= scene.prepared->drawing.nodes[node].rect;
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
    const DrawingNode &at = scene.prepared->drawing.nodes[node];
    if (at.kind != DrawingNode::Kind::Operator)
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
    std::uint32_t node = scene.prepared->drawing.nodeOfOperator[selection->current().op->index()];
    if (const auto next = nextNode(*scene.prepared, node, direction)) {
        select(*next);
        reveal(scene.prepared->drawing.nodes[*next].rect);
    }
}

void GraphView::Private::search(const QString &text)
{
    finder.search({*graph, blocks, schedule.get(), timeline.get()}, text);
    findBar->setText(text);
    findBar->showHits(static_cast<int>(finder.matches().size()), [this](int match) {
        const auto at = static_cast<std::size_t>(match);
        const Operator &op = graph->op(finder.matches()[at]);
        QStringList parts{shownName(op.name), QString::fromStdString(displayType(op)), finder.numbersOf(at)};
        parts.removeAll(QString());
        return parts.join(QStringLiteral(" · "));
    });
    placeOverlays();
}

void GraphView::Private::searchAgain()
{
    if (!graph || (!finder.hasNumbers() && finder.trouble().isEmpty()))
        return;
    const auto before = finder.current() < 0
                            ? std::nullopt
                            : std::optional(finder.matches()[static_cast<std::size_t>(finder.current())]);
    search(QString(finder.text())); // not the text that searching clears
    const auto &matches = finder.matches();
    const auto same = before ? std::ranges::find(matches, *before) : matches.end();
    if (same != matches.end())
        finder.setCurrent(static_cast<int>(same - matches.begin()));
    showFound();
}

void GraphView::Private::showFound()
{
    refreshEmphasis();
    if (finder.trouble().isEmpty())
        findBar->showMatches(finder.current(), static_cast<int>(finder.matches().size()));
    else
        findBar->showTrouble(finder.trouble());
    placeOverlays();
    emit q->matchesChanged(finder.current(), static_cast<int>(finder.matches().size()));
}

void GraphView::Private::showMatch()
{
    showFound();
    if (!hasGraph() || finder.current() < 0)
        return;
    const std::uint32_t node = *scene.emphasis.currentMatch;
    Viewport target = revealing(destination, scene.prepared->drawing.nodes[node].rect, revealMargins());
    if (target.zoom < kReadableZoom) // a match has to be readable
        target = fitted(target, scene.prepared->drawing.nodes[node].rect, fitMargins(), 0.7);
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
    painter.save();
    painter.setClipRect(canvas(), Qt::IntersectClip);
    paintGraph(painter, scene, viewport, QRectF(clip).intersected(canvas()));
    painter.restore();
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
        const DrawingNode &node = scene.prepared->drawing.nodes[*scene.emphasis.hovered];
        paintHoverCard(painter, hoverCard(*graph, node.op, places[node.op.index()], schedule.get()),
                       viewport.toView(node.rect), QRectF(q->rect()), scene.theme, q->font());
    }
}

} // namespace stagecraft
