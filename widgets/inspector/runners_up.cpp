#include "schedule/other_strategies.h"
#include "schedule/stage_groups.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/shown_name.h"
#include "widgets/inspector/latency_reasons.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft {
namespace {

// "a, b | c": concurrent groups.
QString groupsText(const Graph &graph, const Stage &stage)
{
    QStringList groups;
    for (const auto &group : stage.groups) {
        QStringList names;
        for (const OperatorId op : group)
            names << shownName(graph.op(op).name);
        groups << names.join(QStringLiteral(", "));
    }
    return groups.join(stage.isMerged() ? QStringLiteral(" + ") : QStringLiteral("  |  "));
}

} // namespace

QString strategyText(const Stage &stage)
{
    if (stage.isMerged())
        return QStringLiteral("operator merge");
    if (stage.isFused())
        return QStringLiteral("fused into rTasks");
    return stage.groups.size() > 1 ? QStringLiteral("concurrent execution") : QStringLiteral("one group, in order");
}

InspectorSection strategiesSection(const InspectorInput &input, const Stage &stage)
{
    InspectorSection section{stage.isFused() ? QStringLiteral("Why fused?") : QStringLiteral("Why not fused?"),
                             {},
                             input.schedule ? input.schedule->measured.provenance : std::nullopt};
    for (const Stage &other : otherStrategies(*input.model.graph, stage)) {
        const auto time = std::ranges::find(input.runnerUpTimes, other, &RunnerUpTime::stage);
        const QString said = time != input.runnerUpTimes.end() ? moreText(*time) : QStringLiteral("not tried here");
        section.rows.push_back(textRow(QString(), QStringLiteral("%1: %2").arg(strategyText(other), said)));
        section.rows.back().links.push_back({QStringLiteral("Try it"), {}, std::nullopt, other});
    }
    return section;
}

InspectorSection runnersUpSection(const InspectorInput &input, std::size_t block, const Stage *stage)
{
    InspectorSection section{QStringLiteral("Why not another stage?"),
                             {},
                             input.schedule ? input.schedule->measured.provenance : std::nullopt};
    const auto searched = std::ranges::find(input.search, block, &BlockSearch::block);
    if (searched == input.search.end())
        return section;
    bool isWhyKnown = true;
    for (const RunnerUp &other : searched->runnersUp) {
        const bool isThere =
            input.schedule && std::ranges::find(input.schedule->stages, other.stage) != input.schedule->stages.end();
        if (isThere || (stage && !shareOperators(other.stage, *stage)))
            continue;
        const bool leavesOut =
            input.schedule && input.schedule->leavesOutWork() && !areCosted(*input.model.graph, other.stage.groups);
        const QString bound = other.measured && !leavesOut ? QString() : QStringLiteral("at least ");
        section.rows.push_back(
            textRow(QStringLiteral("%1 %2").arg(other.measured ? QStringLiteral("+") : QStringLiteral("≥ +"),
                                                latencyText(other.extraUs)),
                    QStringLiteral("%1\n%2, %3%4")
                        .arg(groupsText(*input.model.graph, other.stage), strategyText(other.stage), bound,
                             latencyText(other.latencyUs))));
        const auto time = std::ranges::find(input.runnerUpTimes, other.stage, &RunnerUpTime::stage);
        if (time != input.runnerUpTimes.end())
            section.rows.back().value += QStringLiteral("\ntried here: %1").arg(moreText(*time));
        else
            isWhyKnown = false;
        if (input.schedule)
            section.rows.back().links.push_back({QStringLiteral("Try it"), {}, std::nullopt, other.stage});
    }
    if (section.rows.empty())
        return section;
    if (input.schedule && input.schedule->measured.provenance == Provenance::Measured && !isWhyKnown) {
        InspectorRow row;
        row.links.push_back({QStringLiteral("What makes them dearer?"), {}, std::nullopt, std::nullopt, true});
        section.rows.push_back(std::move(row));
    }
    section.rows.push_back(textRow(QString(), QStringLiteral("The whole schedule would take this much longer."),
                                   InspectorRow::Tone::Muted));
    return section;
}

} // namespace stagecraft
