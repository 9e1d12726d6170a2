#include "widgets/schedule/schedule_tips.h"

#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"
#include "widgets/schedule/span_change.h"

#include <QStringList>

namespace stagecraft {
namespace {

QString escaped(const std::string &text)
{
    return shownName(text).toHtmlEscaped();
}

} // namespace

QString stageTip(const Graph &graph, const TimedSchedule &schedule, const StageMarks &marks,
                 const SchedulePage::Hit &hit)
{
    const Stage &stage = schedule.stages[hit.stage];
    const bool isMerge = stage.isMerged();
    QString text;
    if (hit.op) {
        const Operator &op = graph.op(*hit.op);
        text += QStringLiteral("<b>%1</b><br>%2, output %3<br>%4<br>")
                    .arg(escaped(op.name), escaped(displayType(op)), shapeText(graph.outputShape(*hit.op)),
                         isCosted(graph, *hit.op) ? flopsText(flops(graph, *hit.op))
                                                  : QStringLiteral("arithmetic not known"));
    }
    text += QStringLiteral("%1 of %2: %3, %4")
                .arg(stageTitle(hit.stage), blockTitle(stage.block).toLower(),
                     isMerge           ? QStringLiteral("operator merge")
                     : stage.isFused() ? QStringLiteral("fused into rTasks")
                                       : QStringLiteral("concurrent execution"),
                     stage.isFused()
                         ? plural(static_cast<std::int64_t>(stage.operatorCount()), "operator")
                         : plural(static_cast<std::int64_t>(stage.groups.size()), isMerge ? "operator" : "group"));
    if (hit.stage < schedule.measured.stages.size()) {
        text += QStringLiteral("<br>%1").arg(
            latencyText(schedule.measured.stages[hit.stage].latencyUs, schedule.leavesOutWork(graph, hit.stage)));
        if (schedule.measured.provenance)
            text += QStringLiteral(" <i>%1</i>").arg(provenanceText(*schedule.measured.provenance));
    }
    const StageMark mark = hit.stage < marks.size() ? marks[hit.stage] : StageMark{};
    if (!mark.change.isEmpty())
        text += QStringLiteral("<br>against the original: %1").arg(mark.change);
    if (!mark.parts.isEmpty())
        text += QStringLiteral(": %1").arg(mark.parts);
    if (!mark.verdict.isEmpty())
        text += QStringLiteral("<br>%1").arg(mark.verdict);
    if (mark.isPinned)
        text += QStringLiteral("<br>pinned");
    return QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text);
}

QString blockTip(const TimedSchedule &schedule, const BlockHeader &header, const TimeChange *change)
{
    QStringList lines{QStringLiteral("%1: %2").arg(blockTitle(header.block),
                                                   plural(static_cast<std::int64_t>(header.operators), "operator"))};
    if (header.parts) {
        const QString parts = partsText(*header.parts);
        lines << (header.parts->barriersUs > 0
                      ? QStringLiteral("%1 = %2").arg(latencyText(header.parts->latencyUs()), parts)
                      : parts);
    }
    if (change)
        lines << QStringLiteral("against the first pane: %1").arg(changeText(*change));
    if (header.stages > 1)
        lines << aboutBarriers(barriersIn(schedule.stages, stagesOfBlock(schedule.stages, header.block)));
    return lines.join(QLatin1Char('\n'));
}

} // namespace stagecraft
