#include "widgets/graph/graph_scene.h"

#include "widgets/format.h"

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

std::shared_ptr<const PreparedGraph> prepared(GraphLabels labels, GraphLayout layout)
{
    auto graph = std::make_shared<PreparedGraph>();
    std::vector<QRectF> rects;
    rects.reserve(layout.nodes.size());
    for (const LayoutNode &node : layout.nodes)
        rects.push_back(node.rect);
    graph->nodeIndex = GridIndex(rects);
    rects.clear();
    for (const Curve &curve : layout.curves)
        rects.push_back(boundsOf(curve));
    graph->curveIndex = GridIndex(rects);
    graph->edgesInto.resize(layout.nodes.size());
    graph->edgesFrom.resize(layout.nodes.size());
    for (std::uint32_t edge = 0; edge < layout.edges.size(); ++edge) {
        graph->edgesInto[layout.edges[edge].to].push_back(edge);
        graph->edgesFrom[layout.edges[edge].from].push_back(edge);
    }
    graph->labels = std::move(labels);
    graph->layout = std::move(layout);
    return graph;
}

std::vector<std::optional<StagePlace>> stagePlaces(const Graph &graph, const Schedule *schedule)
{
    std::vector<std::optional<StagePlace>> places(graph.size());
    if (!schedule)
        return places;
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

HeatScale heatOfStages(const Graph &graph, const Schedule *schedule)
{
    HeatScale heat;
    heat.latencyUs.assign(graph.size(), -1);
    if (!schedule || !schedule->hasStageLatencies())
        return heat;
    heat.provenance = schedule->provenance;
    heat.leavesOutWork = schedule->leavesOutWork();
    const auto places = stagePlaces(graph, schedule);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!places[i])
            continue;
        heat.latencyUs[i] = schedule->stageTimings[places[i]->stage].latencyUs;
        heat.maximumUs = std::max(heat.maximumUs, heat.latencyUs[i]);
    }
    return heat;
}

std::size_t typeFamily(const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv:
    case OperatorKind::ConvTranspose: return 0;
    case OperatorKind::SepConv: return 1;
    case OperatorKind::Pool: return 2;
    case OperatorKind::Join: return 3;
    case OperatorKind::Activation:
    case OperatorKind::BatchNorm:
    case OperatorKind::Normalize:
    case OperatorKind::Softmax: return 4;
    case OperatorKind::Gemm: return 5;
    default: return 6;
    }
}

QString typeFamilyName(std::size_t family)
{
    return QLatin1String(kFamilyNames[family]);
}

std::vector<NodeStyle> nodeStyles(const NodeStyleInput &input)
{
    std::vector<NodeStyle> styles(input.layout.nodes.size());
    for (std::size_t i = 0; i < styles.size(); ++i) {
        const LayoutNode &node = input.layout.nodes[i];
        NodeStyle &style = styles[i];
        style.fill = input.theme.panel;
        if (node.kind != LayoutNode::Kind::Operator)
            continue;
        const auto &place = input.places[node.op.index()];
        if (place) {
            style.badge = badgeOf(*place);
            style.merged = place->strategy == Strategy::Merge;
        }
        switch (input.colouring) {
        case Colouring::Stage:
            if (place)
                style.fill = input.theme.stageFill(place->stage);
            break;
        case Colouring::Heat:
            if (input.heat.latencyUs[node.op.index()] >= 0 && input.heat.maximumUs > 0)
                style.fill = input.theme.heat(input.heat.latencyUs[node.op.index()] / input.heat.maximumUs);
            break;
        case Colouring::Type: style.fill = input.theme.stageFill(typeFamily(input.graph.op(node.op))); break;
        }
    }
    return styles;
}

std::vector<std::vector<std::size_t>> stagesOfBlocks(const Schedule *schedule, std::size_t blocks)
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

void emphasise(Emphasis &emphasis, const PreparedGraph &graph, const Schedule *schedule, const Selected &selected)
{
    const GraphLayout &layout = graph.layout;
    emphasis.selected.clear();
    emphasis.related.clear();
    emphasis.inputEdges.clear();
    emphasis.outputEdges.clear();
    emphasis.dimOthers = false;
    const auto mark = [&](std::vector<bool> &marks, std::uint32_t node) {
        marks.resize(layout.nodes.size(), false);
        marks[node] = true;
    };
    if (selected.op && selected.op->index() < layout.nodeOfOperator.size()) {
        const std::uint32_t node = layout.nodeOfOperator[selected.op->index()];
        mark(emphasis.selected, node);
        emphasis.inputEdges = graph.edgesInto[node];
        emphasis.outputEdges = graph.edgesFrom[node];
        for (const std::uint32_t edge : emphasis.inputEdges)
            mark(emphasis.related, layout.edges[edge].from);
        for (const std::uint32_t edge : emphasis.outputEdges)
            mark(emphasis.related, layout.edges[edge].to);
        return;
    }
    if (selected.block && *selected.block < layout.blocks.size()) {
        emphasis.dimOthers = true;
        for (std::uint32_t node = 0; node < layout.nodes.size(); ++node) {
            const LayoutNode::Kind kind = layout.nodes[node].kind;
            const bool inBlock = kind == LayoutNode::Kind::Operator || kind == LayoutNode::Kind::FoldedBlock;
            if (inBlock && layout.nodes[node].block == *selected.block)
                mark(emphasis.selected, node);
        }
        return;
    }
    if (!selected.stage || !schedule || *selected.stage >= schedule->stages.size())
        return;
    emphasis.dimOthers = true;
    for (const auto &group : schedule->stages[*selected.stage].groups) {
        for (const OperatorId op : group) {
            if (op.index() < layout.nodeOfOperator.size())
                mark(emphasis.selected, layout.nodeOfOperator[op.index()]);
        }
    }
}

} // namespace stagecraft
