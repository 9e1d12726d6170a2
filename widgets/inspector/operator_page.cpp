#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/shown_name.h"
#include "widgets/inspector/latency_reasons.h"
#include "widgets/inspector/layout_section.h"

#include <algorithm>
#include <span>

namespace stagecraft {
namespace {

// Longer lists of neighbours end with the number of the others.
constexpr std::size_t kMaxLinks = 40;

InspectorSection tensorSection(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    InspectorSection section{QStringLiteral("Tensors"), {}};
    section.rows.push_back(textRow(QStringLiteral("Reads"), expressionText(graph, op)));
    if (kindSchema(op.kind).expressionInput || op.inputs.size() == 1) {
        section.rows.push_back(textRow(QStringLiteral("Input"), shapeText(graph.inputShape(id))));
    } else {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            section.rows.push_back(
                textRow(QStringLiteral("Input %1").arg(i + 1), shapeText(graph.tensor(op.inputs[i].front()).shape)));
        }
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        const Tensor &tensor = graph.tensor(op.outputs[i]);
        const QString key = op.outputs.size() == 1 ? QStringLiteral("Output") : QStringLiteral("Output %1").arg(i + 1);
        section.rows.push_back(textRow(key, shapeText(tensor.shape)));
        if (tensor.shape.known)
            section.rows.push_back(
                textRow(QString(), bytesText(static_cast<double>(tensor.sizeBytes())), InspectorRow::Tone::Muted));
    }
    return section;
}

InspectorSection costSection(const Graph &graph, OperatorId id)
{
    const double work = flops(graph, id);
    const double bytes = memoryBytes(graph, id);
    InspectorSection section{QStringLiteral("Cost of one run"), {}};
    if (!isCosted(graph, id)) {
        section.rows.push_back(
            textRow(QStringLiteral("Arithmetic"), QStringLiteral("not known"), InspectorRow::Tone::Warning));
        section.rows.push_back(
            textRow(QStringLiteral("Memory traffic"), QStringLiteral("at least %1").arg(bytesText(bytes))));
        return section;
    }
    section.rows.push_back(textRow(QStringLiteral("Arithmetic"), flopsText(work)));
    section.rows.push_back(textRow(QStringLiteral("Memory traffic"), bytesText(bytes)));
    if (bytes > 0) {
        section.rows.push_back(
            textRow(QStringLiteral("Intensity"),
                    QStringLiteral("%1 FLOP per byte").arg(work / bytes, 0, 'f', work / bytes < 10 ? 2 : 0)));
    }
    return section;
}

// Why the operator has no cost: because of itself or of an operator before it.
QString uncostedText(const InspectorInput &input, OperatorId id)
{
    const Operator &op = input.model.graph->op(id);
    for (const UncostedWork &work : input.model.costs.uncosted) {
        if (work.operatorName == op.name)
            return QStringLiteral("It has no cost, because %1. It is kept and scheduled.")
                .arg(QString::fromStdString(work.reason));
    }
    if (op.kind == OperatorKind::Unknown)
        return QStringLiteral(
                   "The program has no rule for “%1”, or not for this form of it. It is kept and scheduled; its "
                   "cost is not known.")
            .arg(QString::fromStdString(op.type));
    return QStringLiteral(
        "It has no cost, because a shape it needs is unknown. The model's page shows where that starts.");
}

InspectorSection parameterSection(const Operator &op)
{
    InspectorSection section{QStringLiteral("Parameters"), {}};
    for (const Parameter &parameter : op.parameters) {
        QString role = QString::fromStdString(parameter.role);
        role.replace(QLatin1Char('_'), QLatin1Char(' '));
        section.rows.push_back(textRow(
            role.left(1).toUpper() + role.mid(1),
            parameter.shape.dims.size() > 1
                ? QStringLiteral("%1 = %2").arg(shapeText(parameter.shape), countText(parameter.shape.elements()))
                : shapeText(parameter.shape)));
    }
    return section;
}

// Its stream, what it waits for and who waits for it.
void addLaunch(InspectorSection &section, const InspectorInput &input, OperatorId id)
{
    const auto &launches = input.schedule->streams->launches;
    const auto own = std::ranges::find_if(launches, [&](const StreamLaunch &launch) {
        return std::ranges::find(launch.operators, id) != launch.operators.end();
    });
    if (own == launches.end())
        return;
    const auto index = static_cast<std::size_t>(own - launches.begin());
    section.rows.push_back(textRow(QStringLiteral("Stream"), QString::number(own->stream + 1)));
    section.rows.push_back(
        textRow(QStringLiteral("Launch"), QStringLiteral("%1 of %2").arg(index + 1).arg(launches.size())));
    const auto addLinks = [&](const char *key, std::span<const OperatorId> operators) {
        for (const OperatorId other : operators) {
            if (other != id)
                section.rows.push_back({QString::fromLatin1(key), {}, {}, {}, {}, {linkTo(input, other)}});
        }
    };
    addLinks("Merged with", own->operators);
    for (const std::uint32_t before : own->waits)
        addLinks("Waits for", launches[before].operators);
    for (std::size_t i = index + 1; i < launches.size(); ++i) {
        if (std::ranges::find(launches[i].waits, index) != launches[i].waits.end())
            addLinks("Waited for by", launches[i].operators);
    }
}

InspectorSection scheduleSection(const InspectorInput &input, OperatorId id)
{
    InspectorSection section{QStringLiteral("In the schedule"), {}};
    if (const QString model = ModelMarks(*input.model.graph).nameOf(id); !model.isEmpty())
        section.rows.push_back(textRow(QStringLiteral("Model"), model));
    for (std::size_t i = 0; i < input.model.blocks.size(); ++i) {
        if (std::ranges::binary_search(input.model.blocks[i].operators, id))
            section.rows.push_back(textRow(QStringLiteral("Block"), blockTitle(i)));
    }
    if (input.schedule && input.schedule->streams) {
        addLaunch(section, input, id);
        return section;
    }
    const InspectorLink own = linkTo(input, id);
    if (!own.stage)
        return section;
    const Stage &stage = input.schedule->stages[*own.stage];
    section.rows.push_back({QStringLiteral("Stage"), {}, {}, {}, {}, {linkToStage(*own.stage)}});
    if (const auto latency = stageLatencyUs(*input.schedule, *own.stage)) {
        section.rows.push_back(latencyRow(QStringLiteral("Stage latency"), *latency, *input.schedule,
                                          input.schedule->leavesOutWork(*input.model.graph, *own.stage)));
    }
    if (stage.isMerged()) {
        section.rows.push_back(textRow(QStringLiteral("Merged with"), {}));
        for (const auto &group : stage.groups) {
            for (const OperatorId other : group) {
                if (other != id)
                    section.rows.back().links.push_back(linkTo(input, other));
            }
        }
        return section;
    }
    for (std::size_t group = 0; group < stage.groups.size(); ++group) {
        const auto &operators = stage.groups[group];
        const auto place = std::ranges::find(operators, id);
        if (place == operators.end())
            continue;
        QString text = stage.groups.size() == 1
                           ? QStringLiteral("the only one")
                           : QStringLiteral("%1 of %2 concurrent").arg(groupLetter(group)).arg(stage.groups.size());
        if (operators.size() > 1)
            text += QStringLiteral(", %1 of %2 in it").arg(place - operators.begin() + 1).arg(operators.size());
        section.rows.push_back(textRow(QStringLiteral("Group"), text));
    }
    return section;
}

// The operators of the file that passes made part of this unit.
InspectorSection originSection(const InspectorInput &input, OperatorId id)
{
    InspectorSection section{QStringLiteral("Made from, besides itself"), {}};
    for (const PassReport &report : input.model.report.passes) {
        for (const PassChange &change : report.changes) {
            if (change.unit == id)
                section.rows.push_back(textRow(
                    shownName(change.type),
                    QStringLiteral("%1, by %2")
                        .arg(shownName(change.name),
                             QString::fromLatin1(report.pass.data(), static_cast<qsizetype>(report.pass.size())))));
        }
    }
    return section;
}

InspectorRow neighbourRow(const InspectorInput &input, const QString &key, std::span<const OperatorId> neighbours,
                          const QString &none)
{
    InspectorRow row = textRow(key, neighbours.empty() ? none : QString(), InspectorRow::Tone::Muted);
    for (std::size_t i = 0; i < std::min(neighbours.size(), kMaxLinks); ++i)
        row.links.push_back(linkTo(input, neighbours[i]));
    if (neighbours.size() > kMaxLinks)
        row.value = QStringLiteral("%1 more").arg(neighbours.size() - kMaxLinks);
    return row;
}

} // namespace

InspectorPage operatorPage(const InspectorInput &input, OperatorId id)
{
    const Graph &graph = *input.model.graph;
    const Operator &op = graph.op(id);
    InspectorPage page{
        QStringLiteral("Operator"), shownName(displayType(op)), shownName(op.name), linkTo(input, id).stage, {}};
    if (!isCosted(graph, id)) {
        page.sections.push_back(
            {QStringLiteral("Not costed"), {textRow(QString(), uncostedText(input, id), InspectorRow::Tone::Warning)}});
    }
    const auto add = [&](InspectorSection section) {
        if (!section.rows.empty())
            page.sections.push_back(std::move(section));
    };
    add(scheduleSection(input, id));
    add({QStringLiteral("Neighbours"),
         {neighbourRow(input, QStringLiteral("From"), graph.predecessors(id), QStringLiteral("input of the model")),
          neighbourRow(input, QStringLiteral("To"), graph.successors(id), QStringLiteral("output of the model"))}});
    if (input.layouts)
        add(layoutSection(*input.layouts, id));
    add(mergeSection(input, id));
    add({QStringLiteral("Attributes"), attributeRows(op)});
    add(originSection(input, id));
    add(tensorSection(graph, id));
    add(costSection(graph, id));
    add(parameterSection(op));
    return page;
}

} // namespace stagecraft
