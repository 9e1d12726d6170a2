// The text of shelf rows: latency with its interval, origin, comparison, why a row is greyed out.

#include "core/results/result_making.h"
#include "support/suite.h"
#include "support/timing_making.h"
#include "widgets/shelf/shelf_rows.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_shelf_rows {

namespace {

ShelfContext contextOf(const RunContext &settings)
{
    ShelfContext context;
    context.isOpen = true;
    context.chosen = settings;
    context.asked = recordOf("ios-both");
    context.deviceTitles["sim:v100"] = QStringLiteral("Tesla V100 (simulated)");
    return context;
}

} // namespace

class TestShelfRows : public QObject {
    Q_OBJECT

private slots:
    void row_searched_saysWhatMadeIt();
    void row_measured_hasItsInterval();
    void row_otherR_saysItIsNotTheToolBars();
    void row_doesNotFit_saysWhy();
    void row_underWay_saysHowFarItIs();
    void row_notProved_hasItsGap();
    void row_failed_saysWhy();
    void row_disturbedStage_canBeMeasuredAgain();
    void row_toolTip_namesEveryLatency();
    void rows_shares_areOfTheSlowestOfTheGroup();
    void rows_spoken_sayWhatIsDrawn();
};

void TestShelfRows::row_searched_saysWhatMadeIt()
{
    Shelf shelf;
    addSequential(shelf, 300);
    const ResultId both = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    addSearched(shelf, "IOS-Parallel", recordOf("ios-parallel"), 3, 100);
    ShelfContext context = contextOf(settingsOf("sim:v100"));
    context.shown = both;
    const ShelfRow row = shelfRow(shelf, both, context);
    QCOMPARE(row.name, QStringLiteral("IOS-Both"));
    QCOMPARE(row.detail, QStringLiteral("r 3, s 8 · = IOS-Parallel"));
    QCOMPARE(row.latency, QStringLiteral("100 µs"));
    QVERIFY(row.interval.isEmpty()); // exact
    QCOMPARE(row.speedup, QStringLiteral("3.00×"));
    QVERIFY(row.proof == Proof::Proved && row.gap.isEmpty());
    QVERIFY(row.isShown && !row.isBaseline && row.reason.isEmpty());
    shelf.rename(both, "before the upgrade");
    QCOMPARE(shelfRow(shelf, both, context).detail, QStringLiteral("IOS-Both · r 3, s 8 · = IOS-Parallel"));
}

void TestShelfRows::row_measured_hasItsInterval()
{
    Shelf shelf;
    const ResultId id = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100, settingsOf("cpu"));
    shelf.addMeasurement(id, measured(200, 4, 16, MeasuredHow::InRounds));
    const ShelfRow row = shelfRow(shelf, id, contextOf(settingsOf("cpu")));
    QCOMPARE(row.latency, QStringLiteral("200 µs"));
    QCOMPARE(row.interval, QStringLiteral("± 1.1 %"));
    QVERIFY(row.provenance == Provenance::Measured);
}

void TestShelfRows::row_otherR_saysItIsNotTheToolBars()
{
    Shelf shelf;
    const ResultId id = addSearched(shelf, "IOS-Both", recordOf("ios-both", 2, 8), 3, 100);
    ShelfContext context = contextOf(settingsOf("sim:v100"));
    QCOMPARE(shelfRow(shelf, id, context).detail, QStringLiteral("r 2, s 8 ≠ tool bar: r 3"));
    QVERIFY(shelfRow(shelf, id, context).reason.isEmpty()); // it can still be compared
    context.asked.r = 2;
    QCOMPARE(shelfRow(shelf, id, context).detail, QStringLiteral("r 2, s 8"));
}

void TestShelfRows::row_doesNotFit_saysWhy()
{
    Shelf shelf;
    const ResultId id = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100, settingsOf("sim:v100", 16));
    ShelfContext context = contextOf(settingsOf("sim:v100"));
    const ShelfRow row = shelfRow(shelf, id, context);
    QCOMPARE(row.reason, QStringLiteral("batch 16, not 1"));
    const QString tip = shelfToolTip(shelf, id, context);
    QVERIFY2(tip.contains(QStringLiteral("Does not fit the tool bar: batch 16, not 1")), qPrintable(tip));
    context.isOpen = false; // no model to fit
    QVERIFY(shelfRow(shelf, id, context).reason.isEmpty());
}

void TestShelfRows::row_underWay_saysHowFarItIs()
{
    Shelf shelf;
    ScheduleResult waiting;
    waiting.title = "IOS-Both";
    waiting.asked = recordOf("ios-both");
    waiting.settings = settingsOf("sim:v100");
    waiting.state = ResultState::Waiting;
    const ResultId id = shelf.add(waiting);
    ShelfContext context = contextOf(settingsOf("sim:v100"));
    QCOMPARE(shelfRow(shelf, id, context).detail, QStringLiteral("waits · r 3, s 8"));
    context.waits[id] = QStringLiteral("waits for IOS-Merge, 12 s so far");
    QCOMPARE(shelfRow(shelf, id, context).detail, QStringLiteral("waits for IOS-Merge, 12 s so far · r 3, s 8"));
    context.waits.clear();
    QVERIFY(shelfRow(shelf, id, context).latency.isEmpty());
    shelf.setRunning(id);
    shelf.setBest(id, 123);
    QCOMPARE(shelfRow(shelf, id, context).detail, QStringLiteral("searching · r 3, s 8"));
    QCOMPARE(shelfRow(shelf, id, context).latency, QStringLiteral("best 123 µs"));
    QVERIFY(shelfRow(shelf, id, context).proof == Proof::None);
}

void TestShelfRows::row_notProved_hasItsGap()
{
    Shelf shelf;
    SearchRecord stopped = recordOf("ios-both");
    stopped.termination = Termination::Cancelled;
    stopped.gap = 0.081;
    const ShelfContext context = contextOf(settingsOf("sim:v100"));
    QCOMPARE(shelfRow(shelf, addSearched(shelf, "IOS-Both", stopped, 3, 100), context).gap,
             QStringLiteral("gap 8.1 %"));
    stopped.gap = HUGE_VAL;
    QCOMPARE(shelfRow(shelf, addSearched(shelf, "IOS-Both", stopped, 3, 100), context).gap,
             QStringLiteral("gap unknown"));
}

void TestShelfRows::row_failed_saysWhy()
{
    Shelf shelf;
    const ResultId id = addSequential(shelf, 300);
    shelf.setFailed(id, "could not be measured");
    QCOMPARE(shelfRow(shelf, id, contextOf(settingsOf("sim:v100"))).note, QStringLiteral("could not be measured"));
}

void TestShelfRows::row_disturbedStage_canBeMeasuredAgain()
{
    Shelf shelf;
    const ResultId id = addSequential(shelf, 300);
    const ShelfContext context = contextOf(settingsOf("sim:v100"));
    QVERIFY(!shelfRow(shelf, id, context).isDisturbed);
    TimedSchedule disturbed = *shelf.find(id)->schedule;
    disturbed.measured.stages.assign(disturbed.stages.size(), {});
    disturbed.measured.stages[2] = {100, 100, 40, 10, {}};
    shelf.setMade(id, std::make_shared<const TimedSchedule>(disturbed), {}, 0);
    QVERIFY(shelfRow(shelf, id, context).isDisturbed);
    QVERIFY(shelfToolTip(shelf, id, context).contains(QStringLiteral("1 of 9 stages were disturbed")));
    QVERIFY(!shelfToolTip(shelf, id, context).contains(QStringLiteral("judged")));
    disturbed.measured.simulationErrors.emplace();
    shelf.setMade(id, std::make_shared<const TimedSchedule>(disturbed), {}, 0);
    QVERIFY(shelfToolTip(shelf, id, context).contains(QStringLiteral("simulated, never judged by measured kernels")));
}

void TestShelfRows::row_toolTip_namesEveryLatency()
{
    Shelf shelf;
    SearchRecord record = recordOf("ios-both");
    record.sumUs = 97;
    const ResultId id = addSearched(shelf, "IOS-Both", record, 3, 100);
    TimedSchedule schedule = *shelf.find(id)->schedule;
    schedule.measured.stages = timingsOf({30, 30, 31});
    shelf.setMade(id, std::make_shared<const TimedSchedule>(schedule), {}, 0);
    shelf.addMeasurement(id, measured(200, 4, 16, MeasuredHow::InRounds));
    const QString text = shelfToolTip(shelf, id, contextOf(settingsOf("sim:v100")));
    for (const char *part : {"timed in rounds: 200 µs ± 2.1", "16 rounds in 1 measurement", "timed alone: 100 µs",
                             "stages alone, added up: 91.0 µs", "the proof is of: 97.0 µs",
                             "search: best schedule with barriers (r 3, s 8)", "Tesla V100", "batch 1"})
        QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(part + QStringLiteral(" in\n") + text));
}

void TestShelfRows::rows_shares_areOfTheSlowestOfTheGroup()
{
    Shelf shelf;
    addSequential(shelf, 400);
    addSequential(shelf, 900, settingsOf("sim:k80"));
    addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    const auto groups = shelfRows(shelf, contextOf(settingsOf("sim:v100")), ShelfOrder::AsMade, {});
    QCOMPARE(groups.size(), std::size_t{2});
    QCOMPARE(groups[0].title, QStringLiteral("sample, batch 1"));
    QCOMPARE(groups[0].device, QStringLiteral("Tesla V100 (simulated)"));
    QVERIFY(groups[0].fits && !groups[1].fits);
    QCOMPARE(groups[0].rows[0].share, 1.0);
    QCOMPARE(groups[0].rows[1].share, 0.25);
    QCOMPARE(groups[1].rows[0].share, 1.0);
    // The filter hides the slowest result and changes no bar.
    QCOMPARE(shelfRows(shelf, contextOf(settingsOf("sim:v100")), ShelfOrder::AsMade, "both")[0].rows[0].share, 0.25);
}

void TestShelfRows::rows_spoken_sayWhatIsDrawn()
{
    Shelf shelf;
    addSequential(shelf, 300);
    const ResultId id = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    shelf.setPinned(id, true);
    shelf.annotate(id, "keep this");
    const QString spoken = shelfRow(shelf, id, contextOf(settingsOf("sim:v100"))).spoken;
    QCOMPARE(spoken, QStringLiteral("IOS-Both, pinned, 100 µs, 3.00×, r 3, s 8, "
                                    "best schedule with barriers (r 3, s 8), keep this"));
}

STAGECRAFT_SUITE(TestShelfRows)

} // namespace tst_shelf_rows
#include "tst_shelf_rows.moc"
