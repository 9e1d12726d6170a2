#include "schedule/compare/latency_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/time_change.h"

#include <algorithm>

namespace stagecraft {
namespace {

InspectorSection spaceSection(const InspectorInput &input, std::size_t block)
{
    const Block &own = input.model.blocks[block];
    const int most = width(*input.model.graph, own);
    InspectorSection section{QStringLiteral("Search space"), {}};
    section.rows.push_back(
        textRow(QStringLiteral("Operators"), countText(static_cast<std::int64_t>(own.operators.size()))));
    section.rows.push_back(textRow(QStringLiteral("Width"), countText(most)));
    section.rows.push_back(
        textRow(QStringLiteral("Bound, unpruned"),
                QStringLiteral("%1 transitions").arg(magnitudeText(transitionBound(own.operators.size(), most)))));
    if (!input.spaces || block >= input.spaces->blocks.size())
        return section;
    const auto &count = input.spaces->blocks[block];
    const auto add = [&](const char *key, double number) {
        section.rows.push_back(textRow(QString::fromLatin1(key), spaceNumberText(count, number)));
    };
    section.title += QStringLiteral(" · ") + spaceText(input.spaces->options);
    add("States", count ? static_cast<double>(count->states) : 0);
    add("Transitions", count ? static_cast<double>(count->transitions) : 0);
    add("Schedules", count ? count->schedules : 0);
    return section;
}

// The latency of the block, and what it adds up from.
InspectorSection blockTimeSection(const InspectorInput &input, std::size_t block)
{
    InspectorSection section{QStringLiteral("Time"), {}};
    const StageRange stages = input.schedule ? stagesOfBlock(input.schedule->stages, block) : StageRange();
    const auto parts = stages.count > 0 ? latencyParts(*input.schedule, stages) : std::nullopt;
    if (!parts)
        return section;
    section.rows.push_back(latencyRow(QStringLiteral("Latency"), parts->latencyUs(), *input.schedule,
                                      input.schedule->leavesOutWork() &&
                                          !areCosted(*input.model.graph, {input.model.blocks[block].operators})));
    section.rows.push_back(textRow(QStringLiteral("Adds up"), partsText(*parts)));
    if (stages.count > 1)
        section.rows.push_back(textRow(QString(), aboutBarriers(parts->barriers), InspectorRow::Tone::Muted));
    return section;
}

InspectorSection searchSection(const InspectorInput &input, std::size_t block)
{
    InspectorSection section{QStringLiteral("Searched"), {}};
    const auto search = std::ranges::find(input.search, block, &BlockSearch::block);
    if (search == input.search.end() || !input.schedule)
        return section;
    const auto add = [&](const char *key, const QString &value) {
        section.rows.push_back(textRow(QString::fromLatin1(key), value));
    };
    const double leastUs = search->inPlaceBoundUs > 0 ? search->inPlaceBoundUs : search->lowerBoundUs;
    if (leastUs > 0)
        add("At least", QStringLiteral("%1 between its neighbours, %2")
                            .arg(latencyText(leastUs), input.schedule->search.assumption
                                                           ? QStringLiteral("under the assumption of the search")
                                                           : QStringLiteral("proved")));
    add("Measured stages", countText(search->stageMeasurements));
    add("Cache hits", countText(search->cacheHits));
    add("States", countText(search->states));
    add("Transitions", countText(search->transitions));
    return section;
}

InspectorSection stageSection(const InspectorInput &input, std::size_t block)
{
    InspectorSection section{QStringLiteral("Stages"), {}};
    if (!input.schedule)
        return section;
    InspectorRow row;
    for (std::size_t i = 0; i < input.schedule->stages.size(); ++i) {
        if (input.schedule->stages[i].block == block)
            row.links.push_back(linkToStage(i));
    }
    if (!row.links.empty())
        section.rows.push_back(std::move(row));
    return section;
}

} // namespace

InspectorPage blockPage(const InspectorInput &input, std::size_t block)
{
    InspectorPage page{QStringLiteral("Block"),
                       QStringLiteral("%1 of %2").arg(blockTitle(block)).arg(input.model.blocks.size()),
                       QString(),
                       std::nullopt,
                       {}};
    InspectorSection operators{QStringLiteral("Operators"), {InspectorRow{}}};
    for (const OperatorId op : input.model.blocks[block].operators)
        operators.rows.front().links.push_back(linkTo(input, op));
    InspectorRow steps;
    if (block > 0)
        steps.links.push_back(linkToBlock(block - 1));
    if (block + 1 < input.model.blocks.size())
        steps.links.push_back(linkToBlock(block + 1));
    for (InspectorSection section :
         {blockTimeSection(input, block), spaceSection(input, block), searchSection(input, block),
          runnersUpSection(input, block, nullptr), stageSection(input, block), operators,
          InspectorSection{QStringLiteral("Before and after"), {steps}}}) {
        const bool empty = section.rows.empty() || (section.rows.size() == 1 && section.rows.front().value.isEmpty() &&
                                                    section.rows.front().links.empty());
        if (!empty)
            page.sections.push_back(std::move(section));
    }
    return page;
}

} // namespace stagecraft
