// With a time limit, the result is never worse than that of the same search without one, stopped at that time. Time is
// simulated: every look at the clock takes a while, so the tests are the same on every machine.

#include "search/stages/search.h"
#include "search/stages/windows.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_search_budget {

namespace {

constexpr double kTick = 1e-3;     // seconds per look at the clock
constexpr double kUnlimited = 1e8; // practically no limit, but the clock is checked

struct Outcome {
    FoundSchedule result;
    double seconds = 0;
};

// `stopAt`: when a person stops it.
Outcome searchIn(const Graph &graph, double maxSeconds, std::optional<double> stopAt = {})
{
    std::int64_t looks = 0;
    std::stop_source stop;
    SearchOptions options;
    options.maxSeconds = maxSeconds;
    options.clock.read = [&] {
        const double now = static_cast<double>(++looks) * kTick;
        if (stopAt && now >= *stopAt)
            stop.request_stop();
        return SearchClock::Time(
            std::chrono::duration_cast<SearchClock::Time::duration>(std::chrono::duration<double>(now)));
    };
    SharedDevice source(graph);
    auto result = searchSchedule(graph, consecutiveBlocks(graph, 1), source, options, {}, stop.get_token());
    return {take(std::move(result)), static_cast<double>(looks) * kTick};
}

} // namespace

class SearchBudgetTest : public QObject {
    Q_OBJECT

private slots:
    void windowLimits_manyOperators_shareWhatFewMayTake()
    {
        for (const std::size_t operators : {1U, 100U, 1000U, 10'000U, 20'000U}) {
            const SpaceLimits each = windowLimits(operators);
            const std::size_t windows = operators / 16 + 1;
            QVERIFY(each.transitions <= windowLimits(1).transitions && each.transitions >= 6000);
            QVERIFY(each.transitions * windows <= 10'000'000);
            QVERIFY(each.stages * windows <= 1'300'000);
        }
        QVERIFY(windowLimits(100).transitions == windowLimits(1).transitions);
    }
    void maxSeconds_ofAnyLength_givesNoLessThanNone()
    {
        const Graph graph = parallelChains(4, 4);
        const Outcome free = searchIn(graph, kUnlimited);
        QVERIFY(free.result.schedule.search.termination == Termination::Optimal);
        for (const double share : {0.3, 0.6, 0.9, 1.1, 1.5, 2.5, 4.0}) {
            const double seconds = share * free.seconds;
            const Outcome limited = searchIn(graph, seconds);
            const SearchRecord &record = limited.result.schedule.search;
            const QByteArray where = QByteArray::number(share) + " " + QByteArray::number(free.seconds) + " " +
                                     QByteArray::number(limited.seconds) + " " + QByteArray::number(record.gap);
            QVERIFY2(limited.seconds < 1.2 * seconds + 0.05, where);
            if (share > 1) {
                QVERIFY2(record.termination == Termination::Optimal, where);
                QCOMPARE(record.sumUs, free.result.schedule.search.sumUs);
                continue;
            }
            const Outcome stopped = searchIn(graph, kUnlimited, seconds);
            QVERIFY2(record.sumUs <= stopped.result.schedule.search.sumUs * (1 + 1e-12), where);
        }
    }
};

STAGECRAFT_SUITE(SearchBudgetTest)

} // namespace tst_search_budget
#include "tst_search_budget.moc"
