#include "widgets/base/inspector_page.h"

#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QStringList>

namespace stagecraft {

InspectorRow textRow(const QString &key, const QString &value, InspectorRow::Tone tone)
{
    InspectorRow row;
    row.key = key;
    row.value = value;
    row.tone = tone;
    return row;
}

InspectorRow latencyRow(const QString &key, double latencyUs, const TimedSchedule &schedule, bool atLeast)
{
    InspectorRow row = textRow(key, latencyText(latencyUs, atLeast));
    row.provenance = schedule.measured.provenance;
    return row;
}

void addTiming(InspectorSection &section, const Timing &timing)
{
    if (timing.hasSpread()) {
        section.rows.push_back(textRow(QStringLiteral("Mean"), latencyText(timing.meanUs)));
        const QString spread =
            QStringLiteral("\u00b1%1 in %2").arg(latencyText(timing.stddevUs), plural(timing.runs, "run"));
        section.rows.push_back(
            timing.isSpread()
                ? textRow(QStringLiteral("Spread"), spread + QStringLiteral(", disturbed"), InspectorRow::Tone::Warning)
                : textRow(QStringLiteral("Spread"), spread));
    }
    const ClockRates &clocks = timing.clocks;
    for (const auto &[name, mhz] : {std::pair{"Clock", clocks.coreMhz}, std::pair{"Memory clock", clocks.memoryMhz}}) {
        if (mhz > 0)
            section.rows.push_back(textRow(QString::fromLatin1(name), QStringLiteral("%1 MHz").arg(mhz)));
    }
    if (!clocks.slowedBy.empty())
        section.rows.push_back(
            textRow(QStringLiteral("Slowed by"), QString::fromStdString(clocks.slowedBy), InspectorRow::Tone::Warning));
}

InspectorRow shareRow(const QString &key, const QString &value, double share)
{
    InspectorRow row = textRow(key, value);
    row.share = share;
    return row;
}

InspectorLink linkTo(const InspectorInput &input, OperatorId op)
{
    InspectorLink link{shownName(input.model.graph->op(op).name), {op, std::nullopt}, std::nullopt};
    if (!input.schedule)
        return link;
    for (std::size_t stage = 0; stage < input.schedule->stages.size(); ++stage) {
        for (const auto &group : input.schedule->stages[stage].groups) {
            for (const OperatorId each : group) {
                if (each == op)
                    link.stage = stage;
            }
        }
    }
    link.target.stage = link.stage;
    return link;
}

InspectorLink linkToStage(std::size_t stage)
{
    return {stageTitle(stage), {std::nullopt, stage}, stage};
}

InspectorLink linkToBlock(std::size_t block)
{
    return {blockTitle(block), {std::nullopt, std::nullopt, block}, std::nullopt};
}

std::optional<double> stageLatencyUs(const TimedSchedule &schedule, std::size_t stage)
{
    return schedule.hasStageLatencies() ? std::optional(schedule.measured.stages[stage].latencyUs) : std::nullopt;
}

QString plainText(const InspectorPage &page)
{
    QStringList lines{QStringLiteral("%1: %2").arg(page.kind, page.title)};
    if (!page.subtitle.isEmpty())
        lines << page.subtitle;
    for (const InspectorSection &section : page.sections) {
        lines << QString()
              << (section.provenance ? QStringLiteral("%1 (%2)").arg(section.title, provenanceText(*section.provenance))
                                     : section.title);
        for (const InspectorRow &row : section.rows) {
            QStringList words;
            if (!row.value.isEmpty())
                words << row.value;
            if (row.provenance)
                words << provenanceText(*row.provenance);
            QStringList links;
            for (const InspectorLink &link : row.links) {
                if (!link.toTry && !link.asksWhy) // buttons
                    links << link.text;
            }

            if (!links.isEmpty())
                words << links.join(QStringLiteral(", "));
            const QString text = words.join(QLatin1Char(' '));
            lines << QStringLiteral("  ") + (row.key.isEmpty() ? text : QStringLiteral("%1: %2").arg(row.key, text));
        }
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace stagecraft
