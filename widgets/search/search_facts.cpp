#include "widgets/search/search_facts.h"

#include "results/schedule_words.h"
#include "search/search_words.h"
#include "widgets/base/format.h"

#include <cmath>
#include <cstdint>

namespace stagecraft {
namespace {

QString gapText(double gap)
{
    if (!std::isfinite(gap))
        return QStringLiteral("unknown");
    return gap <= 0 ? QStringLiteral("0 %") : percentText(gap);
}

} // namespace

Fact latencyFact(const QString &what, double us, const RunningSearch &search)
{
    Fact latency{what, latencyText(us, search.leavesOutWork), QStringLiteral("00.00 ms")};
    if (search.provenance) {
        latency.after = provenanceText(*search.provenance);
        latency.provenance = search.provenance;
    }
    return latency;
}

std::vector<Fact> progressFacts(const RunningSearch &search, const SearchProgress &progress, const QString &timeLeft)
{
    std::vector<Fact> facts;
    const bool all = progress.block + 1 >= progress.blocks; // all spaces are built: the search now covers all blocks
    facts.push_back({search.name,
                     all ? plural(static_cast<std::int64_t>(progress.blocks), "block")
                         : QStringLiteral("block %1 of %2").arg(progress.block + 1).arg(progress.blocks),
                     QStringLiteral("block %1 of %2").arg(progress.blocks).arg(progress.blocks)});
    if (progress.bestUs > 0)
        facts.push_back(latencyFact(QStringLiteral("best"), progress.bestUs, search));
    if (progress.bestUs > 0 && progress.lowerBoundUs > 0)
        facts.push_back(
            {QStringLiteral("gap"), gapText(progress.bestUs / progress.lowerBoundUs - 1), QStringLiteral("00.0 %")});
    if (!timeLeft.isEmpty())
        facts.push_back({{}, timeLeft, QStringLiteral("at most 000 min left")});
    facts.push_back({QStringLiteral("elapsed"), QStringLiteral("%1 s").arg(progress.elapsedSeconds, 0, 'f', 1),
                     QStringLiteral("000.0 s")});
    facts.push_back({QStringLiteral("measurements"), countText(progress.stageMeasurements), QStringLiteral("000,000")});
    if (!search.members.isEmpty()) {
        const double perSecond = static_cast<double>(progress.stageMeasurements) / progress.elapsedSeconds;
        facts.push_back({search.members,
                         QStringLiteral("%1 a second").arg(progress.elapsedSeconds > 0 ? perSecond : 0, 0, 'f', 1),
                         QStringLiteral("000.0 a second"),
                         {},
                         {},
                         {},
                         false,
                         QStringLiteral("A row for each member: File > Devices elsewhere")});
    }
    facts.push_back({QStringLiteral("states"), countText(progress.statesDone), QStringLiteral("0,000,000")});
    facts.push_back({QStringLiteral("transitions"), countText(progress.transitions), QStringLiteral("00,000,000")});
    facts.push_back({QStringLiteral("cache hits"), countText(progress.cacheHits), QStringLiteral("000,000")});
    return facts;
}

std::vector<Fact> resultFacts(const QString &what, const TimedSchedule &schedule, const QString &faster)
{
    const SearchRecord &record = schedule.search;
    std::vector<Fact> facts;
    const bool searched = record.termination != Termination::None;
    facts.push_back({what, searched ? QString::fromStdString(outcomeText(record)) : QStringLiteral("measured"), {}});
    if (const QString bound = withoutBarriersText(schedule); !bound.isEmpty())
        facts.push_back({QStringLiteral("without barriers or merges at least"), bound, {}});
    if (schedule.measured.whole && schedule.measured.provenance)
        facts.push_back(
            {schedule.measured.isSumOfStages() ? QStringLiteral("sum of stages") : QStringLiteral("latency"),
             latencyText(schedule.measured.whole->latencyUs, schedule.leavesOutWork()),
             {},
             provenanceText(*schedule.measured.provenance),
             schedule.measured.provenance});
    if (!faster.isEmpty())
        facts.push_back({QStringLiteral("faster"), faster, {}});
    if (const auto disturbed = static_cast<std::int64_t>(disturbedStages(schedule)); disturbed > 0)
        facts.push_back({QStringLiteral("disturbed"),
                         QStringLiteral("%1 of %2 stages").arg(disturbed).arg(schedule.stages.size()),
                         {}});
    if (schedule.leavesOutWork())
        facts.push_back({QStringLiteral("costed"),
                         QStringLiteral("%1 of %2")
                             .arg(countText(record.costs.costed()), plural(record.costs.operators, "operator"))});
    facts.push_back({QStringLiteral("search"), QStringLiteral("%1 s").arg(record.searchSeconds, 0, 'f', 2), {}});
    if (schedule.streams) // what follows counts stages
        return facts;
    facts.push_back({QStringLiteral("measuring"), QStringLiteral("%1 s").arg(record.measureSeconds, 0, 'f', 2), {}});
    facts.push_back({QStringLiteral("measurements"), countText(record.stageMeasurements), {}});
    if (record.stagesRepeated > 0)
        facts.push_back({QStringLiteral("of them again, as disturbed"), countText(record.stagesRepeated), {}});
    if (record.assumption)
        facts.push_back({QStringLiteral("without that"),
                         QStringLiteral("within %1").arg(gapText(record.assumption->gapWithout)),
                         {}});
    if (record.stagesRefused > 0)
        facts.push_back({QStringLiteral("could not be measured"), plural(record.stagesRefused, "stage"), {}});
    facts.push_back({QStringLiteral("states"), countText(record.states), {}});
    facts.push_back({QStringLiteral("transitions"), countText(record.transitions), {}});
    facts.push_back({QStringLiteral("cache hits"), countText(record.cacheHits), {}});
    return facts;
}

} // namespace stagecraft
