#include "widgets/graph/graph_content.h"

#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <algorithm>

namespace stagecraft {
namespace {

template <typename IsMeant>
QRectF rectOfNodes(const GraphDrawing &drawing, const IsMeant &isMeant)
{
    QRectF rect;
    for (std::uint32_t node = 0; node < drawing.nodes.size(); ++node) {
        if (isMeant(node))
            rect |= drawing.nodes[node].rect;
    }
    return rect;
}

} // namespace

void GraphContent::setModel(std::shared_ptr<const Graph> next, Blocks nextBlocks)
{
    GraphContent empty;
    empty.graph = std::move(next);
    if (empty.graph)
        empty.models = ModelMarks(*empty.graph);
    empty.blocks = std::move(nextBlocks);
    empty.colouring = colouring;
    empty.scene.theme = scene.theme;
    empty.scene.fonts = scene.fonts;
    *this = std::move(empty);
}

void GraphContent::setAppearance(const QPalette &palette, const QFont &font)
{
    scene.theme = themeFor(palette);
    scene.fonts = graphFonts(font);
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
}

void GraphContent::setLayout(std::shared_ptr<const PreparedGraph> prepared)
{
    scene.prepared = std::move(prepared);
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
}

LegendState GraphContent::colour()
{
    places = stagePlaces(*graph, schedule.get());
    LegendState state;
    state.colouring = colouring;
    state.stages = schedule ? schedule->stages.size() : 0;
    state.streams = schedule && schedule->streams ? schedule->streams->count : 0;
    state.heat = heatOf(colouring, {*graph, blocks, schedule.get(), timeline.get()});
    state.otherName = comparedName;
    if (schedule && compared && colouring == Colouring::Moved)
        state.changes = stageChanges(*graph, *schedule, *compared);
    if (colouring == Colouring::Layout)
        state.layouts = shownLayouts(*graph, schedule.get());
    state.layoutCosts = layoutCosts;
    state.models = models;
    for (std::size_t family = 0; family < kTypeFamilies; ++family) {
        if (std::ranges::any_of(graph->operators(), [&](const Operator &op) { return typeFamily(op) == family; }))
            state.families.push_back(family);
    }
    state.hasMerge =
        std::ranges::any_of(places, [](const auto &place) { return place && place->strategy == Strategy::Merge; });
    scene.badges = conversionBadges(*graph, *scene.prepared, state.layouts, layoutCosts.get(), scene.fonts.name);
    scene.styles = nodeStyles(
        {*graph, drawing(), places, state.heat, state.changes, state.layouts, colouring, scene.theme, marks, models});
    scene.blockStages = stagesOfBlocks(schedule.get(), blocks.size());
    return state;
}

void GraphContent::emphasise(const Selected &selected, const std::vector<bool> &chosen, bool isIsolated,
                             std::span<const OperatorId> framed, const GraphFind &found)
{
    Emphasis &emphasis = scene.emphasis;
    const auto markAll = [this](std::vector<bool> &nodes, std::span<const OperatorId> operators) {
        nodes.assign(drawing().nodes.size(), false);
        for (const OperatorId op : operators)
            nodes[nodeOf(op)] = true;
    };
    stagecraft::emphasise(emphasis, *scene.prepared, schedule.get(), selected, chosen);
    if (isIsolated)
        isolate(emphasis, *scene.prepared);
    if (emphasis.chosen.empty() && !framed.empty())
        markAll(emphasis.chosen, framed);
    emphasis.matches.clear();
    emphasis.currentMatch.reset();
    if (const auto current = found.currentOperator()) {
        markAll(emphasis.matches, found.matches());
        emphasis.currentMatch = nodeOf(*current);
    }
}

QRectF GraphContent::selectedRect() const
{
    const std::vector<bool> &selected = scene.emphasis.selected;
    return selected.empty() ? QRectF() : rectOfNodes(drawing(), [&](std::uint32_t node) { return selected[node]; });
}

QRectF GraphContent::shownRect() const
{
    return rectOfNodes(drawing(), [&](std::uint32_t node) { return isShown(scene.emphasis, node); });
}

QString GraphContent::description(const Selected &selected) const
{
    if (selected.op && selected.op->index() < graph->size())
        return QStringLiteral("Operator %1 selected").arg(shownName(graph->op(*selected.op).name));
    if (selected.stage)
        return QStringLiteral("%1 selected").arg(stageTitle(*selected.stage));
    return selected.block ? QStringLiteral("%1 selected").arg(blockTitle(*selected.block)) : QString();
}

Selected GraphContent::selected(OperatorId op) const
{
    const auto &place = places[op.index()];
    return {op, place && !place->launch ? std::optional(place->stage) : std::nullopt};
}

} // namespace stagecraft
