#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "schedule/merge.h"
#include "schedule/stage_groups.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/inspector/latency_reasons.h"
#include "widgets/inspector/launch_order_gain.h"
#include "widgets/inspector/profiled_time.h"

#include <QStringList>

namespace stagecraft {
namespace {

constexpr double kNoGainUs = 0.05; // less is shown as nothing

double totalLatencyUs(const TimedSchedule &schedule)
{
    return schedule.latencyUs().value_or(schedule.sumOfStagesUs());
}

InspectorSection timeSection(const InspectorInput &input, std::size_t index)
{
    const Stage &stage = input.schedule->stages[index];
    InspectorSection section{QStringLiteral("Time"), {}};
    const auto latency = stageLatencyUs(*input.schedule, index);
    double work = 0;
    for (const OperatorId op : operatorsOf(stage))
        work += flops(*input.model.graph, op);
    if (latency) {
        section.rows.push_back(latencyRow(QStringLiteral("Latency"), *latency, *input.schedule,
                                          input.schedule->leavesOutWork(*input.model.graph, index)));
        addTiming(section, input.schedule->measured.stages[index]);
        const double total = totalLatencyUs(*input.schedule);
        if (total > 0) {
            section.rows.push_back(
                shareRow(QStringLiteral("Share"),
                         QStringLiteral("%1 of %2")
                             .arg(percentText(*latency / total), latencyText(total, input.schedule->leavesOutWork())),
                         *latency / total));
        }
        for (const ProfiledTime &other : input.profiled) {
            InspectorRow row =
                textRow(QStringLiteral("In a profile"),
                        QStringLiteral("%1 in %2, on %3").arg(latencyText(other.us), other.name, other.device));
            row.provenance = Provenance::Recorded;
            section.rows.push_back(std::move(row));
        }
    } else {
        section.rows.push_back(
            textRow(QStringLiteral("Latency"), QStringLiteral("not measured yet"), InspectorRow::Tone::Muted));
    }
    const bool costed = areCosted(*input.model.graph, stage.groups);
    section.rows.push_back(
        costed ? textRow(QStringLiteral("Arithmetic"), flopsText(work))
               : textRow(QStringLiteral("Arithmetic"),
                         QStringLiteral("at least %1: not all operators have a cost").arg(flopsText(work)),
                         InspectorRow::Tone::Warning));
    if (latency && *latency > 0 && work > 0 && costed)
        section.rows.push_back(
            textRow(QStringLiteral("Throughput"), flopsText(work / *latency * 1e6) + QStringLiteral("/s")));
    if (input.reasons) {
        for (InspectorRow &row : reasonRows(*input.reasons, index))
            section.rows.push_back(std::move(row));
    }
    return section;
}

std::vector<InspectorSection> groupSections(const InspectorInput &input, const Stage &stage)
{
    const Graph &graph = *input.model.graph;
    if (stage.isMerged()) {
        const auto operators = operatorsOf(stage);
        InspectorSection section{QStringLiteral("Merged operators"), {textRow({}, {})}};
        for (const OperatorId op : operators)
            section.rows.front().links.push_back(linkTo(input, op));
        if (const auto merged = mergedOperator(graph, operators)) {
            section.rows.push_back(textRow(QStringLiteral("Runs as"), QString::fromStdString(displayType(*merged))));
            const auto attributes = attributeRows(*merged);
            section.rows.insert(section.rows.end(), attributes.begin(), attributes.end());
        }
        return {section};
    }
    std::vector<InspectorSection> sections;
    for (std::size_t group = 0; group < stage.groups.size(); ++group) {
        double work = 0;
        InspectorRow row;
        for (const OperatorId op : stage.groups[group]) {
            work += flops(graph, op);
            row.links.push_back(linkTo(input, op));
        }
        const QString count = plural(static_cast<std::int64_t>(stage.groups[group].size()), "operator");
        const QString name = stage.groups.size() == 1 ? QStringLiteral("Operators")
                             : stage.isFused()        ? QStringLiteral("Part %1").arg(groupLetter(group))
                                                      : QStringLiteral("Group %1").arg(groupLetter(group));
        const QString bound = areCosted(graph, {stage.groups[group]}) ? QString() : QStringLiteral("at least ");
        sections.push_back(
            {QStringLiteral("%1 · %2 · %3%4").arg(name, count, bound, flopsText(work)), {std::move(row)}});
    }
    return sections;
}

InspectorRow orderRow(const InspectorInput &input, const std::vector<OperatorId> &order)
{
    InspectorRow row;
    for (const OperatorId op : order)
        row.links.push_back(linkTo(input, op));
    return row;
}

InspectorSection launchOrderSection(const InspectorInput &input, const Stage &stage)
{
    InspectorSection section{QStringLiteral("Launch order"), {}, input.schedule->measured.provenance};
    if (!stage.launchOrder.empty())
        section.rows.push_back(orderRow(input, stage.launchOrder));
    const LaunchOrderGain *gain = input.launchOrder;
    if (!gain)
        return section;
    const LaunchOrderChoice &fastest = gain->fastest;
    const QString tried = fastest.areAllTried ? QStringLiteral("all %1 orders").arg(fastest.tried)
                                              : QStringLiteral("%1 orders").arg(fastest.tried);
    const double moreUs = fastest.latencyUs - gain->asItIsUs;
    if (moreUs > -kNoGainUs) {
        section.rows.push_back(textRow(QStringLiteral("Another order"),
                                       QStringLiteral("gains nothing: %1 were tried").arg(tried),
                                       InspectorRow::Tone::Muted));
        return section;
    }
    const QString whose = fastest.stage.launchOrder.empty() ? QStringLiteral(" (the device's own)") : QString();
    section.rows.push_back(
        textRow(QStringLiteral("Fastest order"),
                QStringLiteral("%1, %2 of the stage%3; %4 were tried")
                    .arg(signedLatencyText(moreUs), percentText(-moreUs / gain->asItIsUs), whose, tried)));
    section.rows.push_back(orderRow(input, fastest.stage.launchOrder));
    section.rows.back().links.push_back({QStringLiteral("Try it"), {}, std::nullopt, fastest.stage});
    return section;
}

} // namespace

InspectorPage stagePage(const InspectorInput &input, std::size_t index)
{
    const Stage &stage = input.schedule->stages[index];
    QString subtitle = QStringLiteral("%1 · %2").arg(blockTitle(stage.block), strategyText(stage));
    if (stage.concurrentGroups() > 1)
        subtitle += QStringLiteral(" · %1").arg(plural(static_cast<std::int64_t>(stage.groups.size()), "group"));
    InspectorPage page{QStringLiteral("Stage"),
                       QStringLiteral("%1 of %2").arg(stageTitle(index)).arg(input.schedule->stages.size()),
                       subtitle,
                       index,
                       {}};
    page.sections.push_back(timeSection(input, index));
    if (InspectorSection parts = timePartsSection(input, index); !parts.rows.empty())
        page.sections.push_back(std::move(parts));
    for (InspectorSection &section : groupSections(input, stage))
        page.sections.push_back(std::move(section));
    if (InspectorSection rTasks = fusedSection(input, index); !rTasks.rows.empty())
        page.sections.push_back(std::move(rTasks));
    if (InspectorSection order = launchOrderSection(input, stage); !order.rows.empty())
        page.sections.push_back(std::move(order));
    if (InspectorSection strategies = strategiesSection(input, stage); !strategies.rows.empty())
        page.sections.push_back(std::move(strategies));
    if (InspectorSection others = runnersUpSection(input, stage.block, &stage); !others.rows.empty())
        page.sections.push_back(std::move(others));
    InspectorRow steps;
    steps.links.push_back(linkToBlock(stage.block));
    if (index > 0)
        steps.links.push_back(linkToStage(index - 1));
    if (index + 1 < input.schedule->stages.size())
        steps.links.push_back(linkToStage(index + 1));
    page.sections.push_back({QStringLiteral("Block, before and after"), {std::move(steps)}});
    return page;
}

} // namespace stagecraft
