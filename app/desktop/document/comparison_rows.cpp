#include "desktop/document/comparison_rows.h"

#include "desktop/document/results.h"
#include "results/schedule_words.h"
#include "search/search_words.h"
#include "timing/simulator_version.h"
#include "timing/statistics/verdict.h"

#include <algorithm>

namespace stagecraft {

QString whyNoSchedule(const ScheduleResult &result)
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

QString whyNoTimeline(const RatedResult &result, const RunContext &settings)
{
    return isOfOlderSimulator(settings) ? QStringLiteral("%1: an older simulator simulated it. Search again.")
                                              .arg(QString::fromStdString(result.name))
                                        : QString();
}

QString whyNotText(const RatedResult &result)
{
    return QStringLiteral("%1: %2.").arg(QString::fromStdString(result.name), QString::fromStdString(result.whyNot));
}

bool ComparisonRows::keepRoof(const std::string &device, const DeviceRoof &roof)
{
    return roof.isKnown() && m_roofs.try_emplace(device, roof).second;
}

ComparisonRow ComparisonRows::row(ResultId id) const
{
    const Shelf &shelf = m_results.shelf();
    const ScheduleResult &result = *shelf.find(id);
    const ResultId baseline = shelf.baseline(result.settings);
    const RatedResult rated = ratedResult(shelf, result);
    ComparisonRow made;
    made.title = QString::fromStdString(rated.name);
    made.note = whyNoSchedule(result);
    made.isBaseline = id == baseline;
    if (const ScheduleResult *against = shelf.find(baseline))
        made.baselineTitle = QString::fromStdString(against->shownName());
    made.madeBy = QString::fromStdString(rated.madeBy);
    made.speedup = rated.speedup;
    if (const auto &latency = rated.latency) {
        made.latencyUs = latency->us;
        made.halfWidthUs = latency->halfWidthUs;
        made.isSumOfStages = latency->how == MeasuredHow::SumOfStages;
        made.provenance = latency->provenance;
    }
    made.leastUs = leastUsOf(id);
    if (const PlannedMemory *planned = m_results.memoryOf(id); planned && planned->memory)
        made.livePeakBytes = planned->memory->use.livePeakBytes();
    if (!result.schedule)
        return made;
    const TimedSchedule &schedule = *result.schedule;
    made.stages = schedule.stages.size();
    made.leavesOutWork = schedule.leavesOutWork();
    made.disturbedStages = disturbedStages(schedule);
    made.provenance = schedule.measured.provenance.value_or(m_results.deviceOf(id).provenance);
    if (const auto &errors = schedule.measured.simulationErrors)
        made.within = QString::fromStdString(withinText(*errors));
    if (const auto rounds = shelf.sharedRounds(id, baseline)) {
        const SpeedupEstimate against = judge(rounds->others->roundsUs, rounds->mine->roundsUs);
        made.speedup = against.speedup;
        made.interval = {against.low, against.high};
        made.verdict = QString::fromStdString(verdictText(against, rounds->mine->secondsPerRound));
    }
    if (!result.blocks.empty()) {
        made.measurements = schedule.search.stageMeasurements;
        made.gap = schedule.search.gap;
        made.gapText = QString::fromStdString(outcomeText(schedule.search));
        if (schedule.search.sumUs > 0)
            made.gapOfUs = schedule.search.sumUs;
    }
    return made;
}

double ComparisonRows::leastUsOf(ResultId id) const
{
    const Target target = m_results.targetOf(id);
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

std::vector<ComparisonRow> ComparisonRows::all() const
{
    std::vector<ComparisonRow> rows;
    for (const ResultId id : m_results.fitting())
        rows.push_back(row(id));
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
