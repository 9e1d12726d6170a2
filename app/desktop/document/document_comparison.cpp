// The document's results as rows of the comparison.

#include "desktop/document/document.h"
#include "results/schedule_words.h"
#include "results/shelf_words.h"
#include "search/search_words.h"
#include "timing/statistics/verdict.h"

#include <algorithm>
#include <map>

namespace stagecraft {

QString Document::whyNoSchedule(const ScheduleResult &result)
{
    if (result.schedule)
        return {};
    if (result.origin == Origin::Stated)
        return QStringLiteral("a latency without a schedule");
    const bool searched = result.isFound();
    switch (result.state) {
    case ResultState::Waiting: return QStringLiteral("waiting for its turn");
    case ResultState::Running:
        if (result.origin == Origin::Layouts)
            return QStringLiteral("choosing layouts");
        return searched ? QStringLiteral("being searched") : QStringLiteral("being measured");
    case ResultState::Failed: return QString::fromStdString(result.trouble);
    case ResultState::Done: break;
    }
    return {};
}

ComparisonRow Document::comparisonRow(ResultId id) const
{
    const ScheduleResult &result = *m_shelf.find(id);
    const ResultId baseline = m_shelf.baseline(result.settings);
    ComparisonRow row;
    row.title = QString::fromStdString(result.shownName());
    row.note = whyNoSchedule(result);
    row.isBaseline = id == baseline;
    if (const ScheduleResult *against = m_shelf.find(baseline))
        row.baselineTitle = QString::fromStdString(against->shownName());
    row.madeBy = QString::fromStdString(madeByText(m_shelf, result));
    row.speedup = m_shelf.speedup(id);
    if (const auto latency = m_shelf.latency(id)) {
        row.latencyUs = latency->us;
        row.halfWidthUs = latency->halfWidthUs;
        row.isSumOfStages = latency->how == MeasuredHow::SumOfStages;
        row.provenance = latency->provenance;
    }
    row.leastUs = leastUsOf(id);
    if (const PlannedMemory *planned = memoryOf(id); planned && planned->memory)
        row.livePeakBytes = planned->memory->use.livePeakBytes();
    if (!result.schedule)
        return row;
    const Schedule &schedule = *result.schedule;
    row.stages = schedule.stages.size();
    row.leavesOutWork = schedule.leavesOutWork();
    row.disturbedStages = disturbedStages(schedule);
    row.provenance = schedule.provenance.value_or(deviceOf(id).provenance);
    if (const auto rounds = m_shelf.sharedRounds(id, baseline)) {
        const SpeedupEstimate against = judge(rounds->others->roundsUs, rounds->mine->roundsUs);
        row.speedup = against.speedup;
        row.interval = {against.low, against.high};
        row.verdict = QString::fromStdString(verdictText(against, rounds->mine->secondsPerRound));
    }
    if (!result.blocks.empty()) {
        row.measurements = schedule.search.stageMeasurements;
        row.gap = schedule.search.gap;
        row.gapText = QString::fromStdString(outcomeText(schedule.search));
        if (schedule.search.sumUs > 0)
            row.gapOfUs = schedule.search.sumUs;
    }
    return row;
}

double Document::leastUsOf(ResultId id) const
{
    const Target target = targetOf(id);
    const auto roof = m_roofs.find(target.deviceId);
    if (!target.model || roof == m_roofs.end())
        return 0;
    const auto known = std::ranges::find_if(m_leastUs, [&](const LeastUs &each) {
        return each.graph.lock() == target.model->graph && each.device == target.deviceId;
    });
    if (known != m_leastUs.end())
        return known->us;
    std::erase_if(m_leastUs, [](const LeastUs &each) { return each.graph.expired(); });
    return m_leastUs.emplace_back(target.model->graph, target.deviceId, leastUs(*target.model->graph, roof->second)).us;
}

std::vector<ComparisonRow> Document::comparison() const
{
    std::vector<ComparisonRow> rows;
    for (const ResultId id : fitting())
        rows.push_back(comparisonRow(id));
    std::map<QString, int> called;
    for (const ComparisonRow &row : rows)
        ++called[row.title];
    for (ComparisonRow &row : rows) { // adds what distinguishes results with the same name
        if (called[row.title] > 1 && !row.madeBy.isEmpty())
            row.title += QStringLiteral(", ") + row.madeBy;
    }
    return rows;
}

} // namespace stagecraft
