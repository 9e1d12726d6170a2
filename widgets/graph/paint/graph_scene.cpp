#include "widgets/graph/paint/graph_scene.h"

#include "operators/schema.h"
#include "widgets/base/format.h"

#include <algorithm>
#include <array>

namespace stagecraft {
namespace {

constexpr std::array<const char *, kTypeFamilies> kFamilyNames{
    "Convolution", "Separable convolution", "Pooling", "Add, concat", "Activation, normalisation", "Matrix product",
    "Other"};

QRectF boundsOf(const Curve &curve)
{
    QPointF low = curve.points.front();
    QPointF high = low;
    const auto include = [&](const QPointF &point) {
        low = QPointF(std::min(low.x(), point.x()), std::min(low.y(), point.y()));
        high = QPointF(std::max(high.x(), point.x()), std::max(high.y(), point.y()));
    };
    for (const QPointF &point : curve.points)
        include(point);
    if (curve.arrowTip)
        include(*curve.arrowTip);
    return {low, high};
}

QString badgeOf(const StagePlace &place)
{
    const QString number = QString::number(place.stage + 1);
    if (place.strategy == Strategy::Merge)
        return number + QStringLiteral(" M");
    return place.groups > 1 ? number + groupLetter(place.group) : number;
}

} // namespace

std::shared_ptr<const PreparedGraph> prepared(GraphLabels labels, GraphDrawing drawing)
{
    auto graph = std::make_shared<PreparedGraph>();
    std::vector<QRectF> rects;
    rects.reserve(drawing.nodes.size());
    for (const DrawingNode &node : drawing.nodes)
        rects.push_back(node.rect);
    graph->nodeIndex = GridIndex(rects);
    rects.clear();
    for (const Curve &curve : drawing.curves)
        rects.push_back(boundsOf(curve));
    graph->curveIndex = GridIndex(rects);
    graph->edgesInto.resize(drawing.nodes.size());
    graph->edgesFrom.resize(drawing.nodes.size());
    for (std::uint32_t edge = 0; edge < drawing.edges.size(); ++edge) {
        graph->edgesInto[drawing.edges[edge].to].push_back(edge);
        graph->edgesFrom[drawing.edges[edge].from].push_back(edge);
    }
    graph->labels = std::move(labels);
    graph->drawing = std::move(drawing);
    return graph;
}

std::vector<std::optional<StagePlace>> stagePlaces(const Graph &graph, const TimedSchedule *schedule)
{
    std::vector<std::optional<StagePlace>> places(graph.size());
    if (!schedule)
        return places;
    for (std::size_t i = 0; schedule->streams && i < schedule->streams->launches.size(); ++i) {
        const StreamLaunch &launch = schedule->streams->launches[i];
        for (const OperatorId op : launch.operators)
            places[op.index()] =
                StagePlace{launch.stream, 0, 1, launch.isMerged() ? Strategy::Merge : Strategy::Concurrent, i};
    }
    for (std::size_t i = 0; i < schedule->stages.size(); ++i) {
        const Stage &stage = schedule->stages[i];
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (const OperatorId op : stage.groups[group]) {
                if (op.index() < places.size())
                    places[op.index()] = StagePlace{i, group, stage.groups.size(), stage.strategy};
            }
        }
    }
    return places;
}

std::size_t typeFamily(const Operator &op)
{
    return static_cast<std::size_t>(kindSchema(op.kind).family);
}

QString typeFamilyName(std::size_t family)
{
    return QLatin1String(kFamilyNames[family]);
}

QColor layoutFill(const Theme &theme, TensorLayout layout)
{
    return theme.stageFill(
        static_cast<std::size_t>(std::ranges::find(kTensorLayouts, layout) - kTensorLayouts.begin()));
}

QColor changeFill(const Theme &theme, StageChange change)
{
    switch (change) {
    case StageChange::Moved: return theme.stageFill(1);
    case StageChange::Merged: return theme.stageFill(6);
    case StageChange::Missing: return theme.stageFill(3);
    case StageChange::Same: break;
    }
    return theme.panel;
}

namespace {

void styleByChange(NodeStyle &style, const StageChanges &changes, OperatorId op, const Theme &theme)
{
    if (changes.of.empty())
        return;
    style.fill = changeFill(theme, changes.of[op.index()]);
    const auto &other = changes.otherStage[op.index()];
    if (changes.of[op.index()] != StageChange::Same)
        style.value = other ? QStringLiteral("there %1").arg(*other + 1) : QStringLiteral("not there");
}

void styleByLayout(NodeStyle &style, const ShownLayouts &layouts, OperatorId op, const Theme &theme)
{
    if (layouts.of.empty() || !layouts.of[op.index()])
        return;
    const ShownLayout &layout = *layouts.of[op.index()];
    style.fill = layoutFill(theme, layout.writes);
    const QString written = layoutText(layout.writes);
    style.value = layout.conversions > 0 ? QStringLiteral("\u21c4 %1").arg(written) : written;
}

void styleByHeat(NodeStyle &style, const HeatScale &heat, double hottest, double value, const Theme &theme)
{
    if (hottest < 0 || heat.maximum <= 0)
        return;
    style.fill = theme.heat(hottest / heat.maximum);
    style.value = heatText(heat, value);
}

NodeStyle operatorStyle(const NodeStyleInput &input, OperatorId op)
{
    NodeStyle style;
    style.fill = input.theme.panel;
    style.opaque = !hasArithmetic(input.graph.op(op));
    style.model = input.models.of(op);
    const auto &place = input.places[op.index()];
    if (place) {
        style.badge = badgeOf(*place);
        style.merged = place->strategy == Strategy::Merge;
    }
    if (!input.marks.empty()) {
        style.mark = input.marks[op.index()];
        style.opaque = style.opaque && style.mark == OperatorMark::None;
        style.fill = markFill(input.theme, style.mark);
        return style;
    }
    if (input.colouring == Colouring::Stage && place)
        style.fill = input.theme.stageFill(place->stage);
    else if (input.colouring == Colouring::Type)
        style.fill = input.theme.stageFill(typeFamily(input.graph.op(op)));
    else if (input.colouring == Colouring::Moved)
        styleByChange(style, input.changes, op, input.theme);
    else if (input.colouring == Colouring::Layout)
        styleByLayout(style, input.tensorLayouts, op, input.theme);
    else if (input.colouring == Colouring::Model && style.model)
        style.fill = modelFill(input.theme, *style.model);
    else if (isHeat(input.colouring))
        styleByHeat(style, input.heat, input.heat.values[op.index()], input.heat.values[op.index()], input.theme);
    return style;
}

} // namespace

// A folded block is as hot as its hottest operator, and has the number of all of it.
std::vector<NodeStyle> nodeStyles(const NodeStyleInput &input)
{
    const GraphDrawing &drawing = input.drawing;
    std::vector<NodeStyle> styles(drawing.nodes.size());
    std::vector<double> hottest(drawing.blocks.size(), -1);
    std::vector<std::size_t> moved(drawing.blocks.size(), 0);
    std::vector<std::optional<std::size_t>> modelOf(drawing.blocks.size());
    for (std::size_t op = 0; op < drawing.nodeOfOperator.size(); ++op) {
        const DrawingNode &node = drawing.nodes[drawing.nodeOfOperator[op]];
        if (node.kind != DrawingNode::Kind::FoldedBlock)
            continue;
        modelOf[node.block] = input.models.of(OperatorId::fromIndex(op));
        if (isHeat(input.colouring))
            hottest[node.block] = std::max(hottest[node.block], input.heat.values[op]);
        if (input.colouring == Colouring::Moved && !input.changes.of.empty())
            moved[node.block] += input.changes.of[op] != StageChange::Same ? 1 : 0;
    }
    for (std::size_t i = 0; i < styles.size(); ++i) {
        const DrawingNode &node = drawing.nodes[i];
        if (node.kind == DrawingNode::Kind::Operator) {
            styles[i] = operatorStyle(input, node.op);
            continue;
        }
        styles[i].fill = input.theme.panel;
        if (node.kind != DrawingNode::Kind::FoldedBlock)
            continue;
        styles[i].model = modelOf[node.block];
        if (input.colouring == Colouring::Model && styles[i].model)
            styles[i].fill = modelFill(input.theme, *styles[i].model);
        if (isHeat(input.colouring))
            styleByHeat(styles[i], input.heat, hottest[node.block], input.heat.blockValues[node.block], input.theme);
        if (moved[node.block] > 0) {
            styles[i].fill = changeFill(input.theme, StageChange::Moved);
            styles[i].value = QStringLiteral("%1 differ").arg(moved[node.block]);
        }
    }
    return styles;
}

std::vector<std::vector<std::size_t>> stagesOfBlocks(const TimedSchedule *schedule, std::size_t blocks)
{
    std::vector<std::vector<std::size_t>> stages(blocks);
    if (!schedule)
        return stages;
    for (std::size_t i = 0; i < schedule->stages.size(); ++i) {
        if (schedule->stages[i].block < blocks)
            stages[schedule->stages[i].block].push_back(i);
    }
    return stages;
}

bool isShown(const Emphasis &emphasis, std::uint32_t node)
{
    const auto isSet = [node](const std::vector<bool> &marks) { return node < marks.size() && marks[node]; };
    return !emphasis.isIsolated || isSet(emphasis.selected) || isSet(emphasis.chosen) ||
           (emphasis.chosen.empty() && isSet(emphasis.related));
}

void isolate(Emphasis &emphasis, const PreparedGraph &graph)
{
    emphasis.isIsolated = true;
    emphasis.isolatedCurves.clear();
    for (const DrawingEdge &edge : graph.drawing.edges) {
        if (isShown(emphasis, edge.from) && isShown(emphasis, edge.to))
            emphasis.isolatedCurves.insert(emphasis.isolatedCurves.end(), edge.curves.begin(), edge.curves.end());
    }
    std::ranges::sort(emphasis.isolatedCurves);
    const auto repeats = std::ranges::unique(emphasis.isolatedCurves);
    emphasis.isolatedCurves.erase(repeats.begin(), repeats.end());
}

void emphasise(Emphasis &emphasis, const PreparedGraph &graph, const TimedSchedule *schedule, const Selected &selected,
               const std::vector<bool> &chosen)
{
    const GraphDrawing &drawing = graph.drawing;
    emphasis.selected.clear();
    emphasis.related.clear();
    emphasis.inputEdges.clear();
    emphasis.outputEdges.clear();
    emphasis.chosen.clear();
    emphasis.isIsolated = false;
    emphasis.isolatedCurves.clear();
    emphasis.dimOthers = !chosen.empty();
    const auto mark = [&](std::vector<bool> &marks, std::uint32_t node) {
        marks.resize(drawing.nodes.size(), false);
        marks[node] = true;
    };
    for (std::size_t op = 0; op < chosen.size() && op < drawing.nodeOfOperator.size(); ++op) {
        if (chosen[op])
            mark(emphasis.chosen, drawing.nodeOfOperator[op]);
    }
    if (selected.op && selected.op->index() < drawing.nodeOfOperator.size()) {
        const std::uint32_t node = drawing.nodeOfOperator[selected.op->index()];
        mark(emphasis.selected, node);
        emphasis.inputEdges = graph.edgesInto[node];
        emphasis.outputEdges = graph.edgesFrom[node];
        for (const std::uint32_t edge : emphasis.inputEdges)
            mark(emphasis.related, drawing.edges[edge].from);
        for (const std::uint32_t edge : emphasis.outputEdges)
            mark(emphasis.related, drawing.edges[edge].to);
        return;
    }
    if (selected.block && *selected.block < drawing.blocks.size()) {
        emphasis.dimOthers = true;
        for (std::uint32_t node = 0; node < drawing.nodes.size(); ++node) {
            const DrawingNode::Kind kind = drawing.nodes[node].kind;
            const bool inBlock = kind == DrawingNode::Kind::Operator || kind == DrawingNode::Kind::FoldedBlock;
            if (inBlock && drawing.nodes[node].block == *selected.block)
                mark(emphasis.selected, node);
        }
        return;
    }
    if (!selected.stage || !schedule || *selected.stage >= schedule->stages.size())
        return;
    emphasis.dimOthers = true;
    for (const auto &group : schedule->stages[*selected.stage].groups) {
        for (const OperatorId op : group) {
            if (op.index() < drawing.nodeOfOperator.size())
                mark(emphasis.selected, drawing.nodeOfOperator[op.index()]);
        }
    }
}

} // namespace stagecraft
