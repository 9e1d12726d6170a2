// The shelf: nothing is overwritten, equal schedules share one latency, and what a person does can be undone.

#include "core/results/result_making.h"
#include "results/schedule_words.h"
#include "results/shelf_words.h"
#include "support/suite.h"
#include "timing/simulator_version.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_shelf {

class TestShelf : public QObject {
    Q_OBJECT

private slots:
    void add_otherSettings_areNewResults();
    void mergeRepeated_sameSearch_isOneMore_data();
    void mergeRepeated_sameSearch_isOneMore();
    void mergeRepeated_betterProof_isKept();
    void mergeRepeated_exactTwice_saysNothingNew();
    void equalSchedules_shareOneLatency();
    void equalSchedules_ofOtherDevices_areApart();
    void equalStages_inOtherLayouts_areApart();
    void equalStages_ofProfiles_areApart();
    void fitting_otherDevice_comesBack();
    void baseline_chosen_isOfItsGroup();
    void baseline_removed_isSequentialAgain();
    void speedup_ofASumAgainstAWhole_isNone();
    void speedup_measuredInOtherWays_isTheQuotientOfWhatIsShown();
    void speedup_againstAStatedLatency_isOfTheWhole();
    void setStages_ofAResult_addsNoMeasurement();
    void sharedRounds_ofOneGroup_areFound();
    void remove_undone_isThereAsBefore();
    void remove_underWay_isRefused();
    void undo_everyChange_goesBackAndForth();
    void undo_afterAnotherChange_forgetsWhatWasUndone();
    void search_underWay_tellsItsBest();
    void whyNotFitting_saysEachReason();
    void olderSimulator_keepsItsNumber_isNotCompared();
    void words_ofEachOrigin_sayWhatMadeIt();
};

void TestShelf::add_otherSettings_areNewResults()
{
    Shelf shelf;
    const ResultId first = addSearched(shelf, "IOS-Both", recordOf("ios-both", 3, 8), 3, 100);
    const ResultId otherR = addSearched(shelf, "IOS-Both", recordOf("ios-both", 2, 8), 4, 110);
    const ResultId otherBatch =
        addSearched(shelf, "IOS-Both", recordOf("ios-both", 3, 8), 3, 900, settingsOf("sim:v100", 16));
    for (const ResultId id : {first, otherR, otherBatch})
        QCOMPARE(shelf.mergeRepeated(id).value, id.value);
    QCOMPARE(shelf.results().size(), std::size_t{3});
    QCOMPARE(shelf.latency(first)->us, 100.0);
    QCOMPARE(shelf.latency(otherR)->us, 110.0);
    QCOMPARE(shelf.latency(otherBatch)->us, 900.0);
}

void TestShelf::mergeRepeated_sameSearch_isOneMore_data()
{
    QTest::addColumn<int>("r");
    QTest::addColumn<int>("stages");
    QTest::addColumn<QString>("device");
    QTest::addColumn<bool>("merged");
    QTest::newRow("mergeRepeated_sameSearch_isOneMeasurementMore") << 3 << 3 << "cpu" << true;
    QTest::newRow("mergeRepeated_otherR_isAResultOfItsOwn") << 2 << 3 << "cpu" << false;
    QTest::newRow("mergeRepeated_otherSchedule_isAResultOfItsOwn") << 3 << 4 << "cpu" << false;
    QTest::newRow("mergeRepeated_otherDevice_isAResultOfItsOwn") << 3 << 3 << "sim:v100" << false;
}

void TestShelf::mergeRepeated_sameSearch_isOneMore()
{
    QFETCH(int, r);
    QFETCH(int, stages);
    QFETCH(QString, device);
    QFETCH(bool, merged);
    Shelf shelf;
    const ResultId before = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100, settingsOf("cpu"));
    shelf.rename(before, "mine");
    const ResultId again = addSearched(shelf, "IOS-Both", recordOf("ios-both", r), static_cast<std::size_t>(stages),
                                       110, settingsOf(device.toStdString()));
    QCOMPARE(shelf.mergeRepeated(again) == before, merged);
    QCOMPARE(shelf.results().size(), std::size_t{merged ? 1U : 2U});
    QCOMPARE(shelf.find(before)->name, std::string("mine"));
    QCOMPARE(shelf.find(before)->measurements.size(), std::size_t{merged ? 2U : 1U});
}

void TestShelf::mergeRepeated_betterProof_isKept()
{
    Shelf shelf;
    SearchRecord stopped = recordOf("ios-both");
    stopped.termination = Termination::Cancelled;
    stopped.gap = 0.2;
    const ResultId before = addSearched(shelf, "IOS-Both", stopped, 3, 100);
    QVERIFY(proofOf(*shelf.find(before)) == Proof::Gap);
    QVERIFY(shelf.mergeRepeated(addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100)) == before);
    QVERIFY(proofOf(*shelf.find(before)) == Proof::Proved);
    QVERIFY(shelf.mergeRepeated(addSearched(shelf, "IOS-Both", stopped, 3, 100)) == before);
    QVERIFY(proofOf(*shelf.find(before)) == Proof::Proved);
}

void TestShelf::mergeRepeated_exactTwice_saysNothingNew()
{
    Shelf shelf;
    const ResultId before = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    shelf.mergeRepeated(addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100));
    QCOMPARE(shelf.find(before)->measurements.size(), std::size_t{1});
}

void TestShelf::equalSchedules_shareOneLatency()
{
    Shelf shelf;
    const ResultId both = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100, settingsOf("cpu"));
    const ResultId parallel = addSearched(shelf, "IOS-Parallel", recordOf("ios-parallel"), 3, 108, settingsOf("cpu"));
    const ResultId merge = addSearched(shelf, "IOS-Merge", recordOf("ios-merge"), 5, 120, settingsOf("cpu"));
    QCOMPARE(shelf.mergeRepeated(parallel).value, parallel.value); // it has a proof of its own
    QCOMPARE(shelf.equalTo(both), std::vector{parallel});
    QCOMPARE(equalText(shelf, both), std::string("= IOS-Parallel"));
    QVERIFY(equalText(shelf, merge).empty());
    const ResultId otherR = addSearched(shelf, "IOS-Parallel", recordOf("ios-parallel", 1), 5, 120, settingsOf("cpu"));
    QCOMPARE(equalText(shelf, merge), std::string("= IOS-Parallel (r 1, s 8)"));
    QCOMPARE(equalText(shelf, both), std::string("= IOS-Parallel (r 3, s 8)"));
    shelf.remove({otherR});
    QCOMPARE(shelf.latency(both)->us, 104.0);
    QVERIFY(*shelf.latency(both) == *shelf.latency(parallel));
    QCOMPARE(shelf.latency(merge)->us, 120.0);
    shelf.remove({parallel}); // with its measurement
    QVERIFY(shelf.equalTo(both).empty());
    QCOMPARE(shelf.latency(both)->us, 100.0);
}

void TestShelf::equalSchedules_ofOtherDevices_areApart()
{
    Shelf shelf;
    const ResultId here = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 250, settingsOf("sim:k80"));
    RunContext changed = settingsOf("sim:v100");
    changed.deviceVersion = "another file";
    addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 90, changed);
    QVERIFY(shelf.equalTo(here).empty());
    QCOMPARE(shelf.latency(here)->us, 100.0);
}

void TestShelf::equalStages_inOtherLayouts_areApart()
{
    Shelf shelf;
    const ResultId plain = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100, settingsOf("cpu"));
    ScheduleResult opened;
    opened.title = "opened";
    opened.settings = settingsOf("cpu");
    const ResultId laidOut = shelf.add(std::move(opened));
    TimedSchedule schedule = *scheduleOf(3, 60);
    schedule.layouts.tensors = {{"a", TensorLayout::ChannelsLast}};
    shelf.setMade(laidOut, std::make_shared<const TimedSchedule>(schedule), {}, 0);
    QVERIFY(shelf.equalTo(plain).empty());
    QCOMPARE(shelf.latency(plain)->us, 100.0);
    QCOMPARE(shelf.latency(laidOut)->us, 60.0);
}

// Each is a run of its own, whatever its stages.
void TestShelf::equalStages_ofProfiles_areApart()
{
    Shelf shelf;
    std::vector<ResultId> profiles;
    for (const double us : {20.0, 30.0}) {
        ScheduleResult result;
        result.origin = Origin::Profiled;
        result.settings = settingsOf("A100 (profile)");
        profiles.push_back(shelf.add(std::move(result)));
        shelf.setMade(profiles.back(), scheduleOf(9, us), {}, 0);
    }
    QVERIFY(shelf.equalTo(profiles[0]).empty() && shelf.equalTo(profiles[1]).empty());
    QCOMPARE(shelf.latency(profiles[0])->us, 20.0);
    QCOMPARE(shelf.latency(profiles[1])->us, 30.0);
}

void TestShelf::fitting_otherDevice_comesBack()
{
    Shelf shelf;
    const ResultId v100 = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    const ResultId k80 = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 250, settingsOf("sim:k80"));
    QCOMPARE(shelf.fitting(settingsOf("sim:k80")), std::vector{k80});
    QCOMPARE(shelf.fitting(settingsOf("sim:v100")), std::vector{v100});
    QVERIFY(shelf.newest(settingsOf("sim:v100"), "ios-both") == v100);
    QVERIFY(!shelf.newest(settingsOf("sim:v100"), "ios-merge").isValid());
}

void TestShelf::baseline_chosen_isOfItsGroup()
{
    Shelf shelf;
    const ResultId sequential = addSequential(shelf, 300);
    const ResultId elsewhere = addSequential(shelf, 900, settingsOf("sim:k80"));
    const ResultId both = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    const ResultId merge = addSearched(shelf, "IOS-Merge", recordOf("ios-merge"), 5, 200);
    QVERIFY(shelf.baseline(settingsOf("sim:v100")) == sequential);
    QCOMPARE(*shelf.speedup(both), 3.0);
    shelf.chooseBaseline(merge);
    QCOMPARE(*shelf.speedup(both), 2.0);
    QCOMPARE(*shelf.speedup(sequential), 200.0 / 300);
    QVERIFY(shelf.baseline(settingsOf("sim:k80")) == elsewhere);
    QCOMPARE(shelf.undoWords(), std::string("Set IOS-Merge as baseline"));
    shelf.undo();
    QCOMPARE(*shelf.speedup(both), 3.0);
}

void TestShelf::baseline_removed_isSequentialAgain()
{
    Shelf shelf;
    const ResultId sequential = addSequential(shelf, 300);
    const ResultId merge = addSearched(shelf, "IOS-Merge", recordOf("ios-merge"), 5, 200);
    shelf.chooseBaseline(merge);
    shelf.remove({merge});
    QVERIFY(shelf.baseline(settingsOf("sim:v100")) == sequential);
    shelf.undo();
    QVERIFY(shelf.baseline(settingsOf("sim:v100")) == merge);
    shelf.remove({merge, sequential});
    QVERIFY(!shelf.baseline(settingsOf("sim:v100")).isValid());
}

void TestShelf::speedup_againstAStatedLatency_isOfTheWhole()
{
    Shelf shelf;
    const ResultId sequential = addSequential(shelf, 300);
    ScheduleResult stated;
    stated.origin = Origin::Stated;
    stated.title = "What I run today";
    stated.settings = settingsOf("sim:v100");
    stated.measurements.push_back({.whole = Timing::ofLatency(600), .provenance = Provenance::Recorded});
    const ResultId today = shelf.add(std::move(stated));
    QCOMPARE(shelf.latency(today)->us, 600.0); // without a schedule
    QCOMPARE(*shelf.speedup(today), 0.5);      // against Sequential
    shelf.chooseBaseline(today);
    QCOMPARE(*shelf.speedup(sequential), 2.0);
    QCOMPARE(madeByText(shelf, *shelf.find(today)), std::string("typed"));
    shelf.remove({today});
    QCOMPARE(*shelf.speedup(sequential), 1.0);
    shelf.undo();
    QCOMPARE(shelf.latency(today)->us, 600.0);
}

void TestShelf::setStages_ofAResult_addsNoMeasurement()
{
    Shelf shelf;
    const ResultId id = addSequential(shelf, 300);
    auto again = std::make_shared<TimedSchedule>(*shelf.find(id)->schedule);
    again->measured.stages.assign(again->stages.size(), Timing::ofLatency(7));
    shelf.setRunning(id);
    shelf.setStages(id, again);
    QVERIFY(shelf.find(id)->state == ResultState::Done);
    QCOMPARE(shelf.find(id)->measurements.size(), std::size_t{1});
    QCOMPARE(shelf.latency(id)->us, 300.0);
    QCOMPARE(shelf.find(id)->schedule->sumOfStagesUs(), 63.0);
}

void TestShelf::speedup_ofASumAgainstAWhole_isNone()
{
    Shelf shelf;
    addSequential(shelf, 300);
    ScheduleResult stopped;
    stopped.title = "IOS-Both";
    stopped.settings = settingsOf("sim:v100");
    const ResultId id = shelf.add(stopped);
    TimedSchedule sum = *scheduleOf(3, 100);
    sum.measured.how = MeasuredHow::SumOfStages;
    shelf.setMade(id, std::make_shared<const TimedSchedule>(sum), {}, 0);
    QVERIFY(!shelf.speedup(id));
    shelf.addMeasurement(id, measured(150, 1, 10));
    QCOMPARE(*shelf.speedup(id), 2.0);
}

// Timed in rounds with others, while the baseline was only timed alone: the numbers beside each other divide.
void TestShelf::speedup_measuredInOtherWays_isTheQuotientOfWhatIsShown()
{
    Shelf shelf;
    const ResultId base = addSequential(shelf, 300);
    ScheduleResult made;
    made.title = "IOS-Both";
    made.settings = settingsOf("sim:v100");
    made.schedule = scheduleOf(3, 100);
    const ResultId id = shelf.add(made);
    shelf.addMeasurement(id, measured(100, 1, 10));
    shelf.addMeasurement(id, measured(120, 1, 8, MeasuredHow::InRounds));
    QCOMPARE(*shelf.speedup(id), shelf.latency(base)->us / shelf.latency(id)->us);
    QCOMPARE(shelf.latency(id)->us, 120.0);
    QCOMPARE(*shelf.speedup(id), 2.5);
}

void TestShelf::sharedRounds_ofOneGroup_areFound()
{
    Shelf shelf;
    const ResultId a = addSequential(shelf, 300);
    const ResultId b = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    QVERIFY(!shelf.sharedRounds(a, b));
    const auto rounds = [](double us, std::int64_t group) {
        return Measurement{.how = MeasuredHow::InRounds,
                           .whole = Timing::ofLatency(us),
                           .provenance = Provenance::Measured,
                           .roundGroup = group,
                           .roundsUs = {us, us}};
    };
    shelf.addMeasurement(a, rounds(310, 1));
    shelf.addMeasurement(b, rounds(101, 2)); // of another group
    QVERIFY(!shelf.sharedRounds(a, b));
    shelf.addMeasurement(a, rounds(320, 2));
    const auto shared = shelf.sharedRounds(b, a);
    QVERIFY(shared);
    QCOMPARE(shared->mine->whole->latencyUs, 101.0);
    QCOMPARE(shared->others->whole->latencyUs, 320.0);
}

void TestShelf::remove_undone_isThereAsBefore()
{
    Shelf shelf;
    const ResultId first = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    const ResultId second = addSearched(shelf, "IOS-Merge", recordOf("ios-merge"), 5, 200);
    shelf.rename(first, "mine");
    shelf.annotate(first, "before the upgrade");
    shelf.remove({first});
    QVERIFY(!shelf.find(first));
    QCOMPARE(shelf.undoWords(), std::string("Remove mine"));
    const ResultId third = addSequential(shelf, 300); // added meanwhile
    shelf.undo();
    QCOMPARE(shelf.fitting(settingsOf("sim:v100")), (std::vector{first, second, third}));
    QCOMPARE(shelf.find(first)->note, std::string("before the upgrade"));
    QCOMPARE(shelf.latency(first)->us, 100.0);
    shelf.remove({first, second});
    QCOMPARE(shelf.undoWords(), std::string("Remove 2 results"));
    QCOMPARE(shelf.results().size(), std::size_t{1});
    shelf.undo();
    QCOMPARE(shelf.results().size(), std::size_t{3});
}

void TestShelf::remove_underWay_isRefused()
{
    Shelf shelf;
    ScheduleResult running;
    running.state = ResultState::Running;
    const ResultId id = shelf.add(running);
    shelf.remove({id});
    QVERIFY(shelf.find(id));
    QVERIFY(shelf.undoWords().empty());
}

void TestShelf::undo_everyChange_goesBackAndForth()
{
    Shelf shelf;
    addSequential(shelf, 300);
    const ResultId id = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    shelf.rename(id, "fast");
    shelf.annotate(id, "a note");
    shelf.setPinned(id, true);
    shelf.chooseBaseline(id);
    shelf.remove({id});
    shelf.rename(id, "no more"); // it does not exist any more
    const std::vector<std::string> words{"Remove fast", "Set fast as baseline", "Pin fast", "Note on fast",
                                         "Rename IOS-Both"};
    for (const std::string &expected : words) {
        QCOMPARE(shelf.undoWords(), expected);
        shelf.undo();
        QCOMPARE(shelf.redoWords(), expected);
    }
    QVERIFY(shelf.undoWords().empty());
    QVERIFY(shelf.find(id)->name.empty() && shelf.find(id)->note.empty() && !shelf.find(id)->isPinned);
    shelf.undo(); // does nothing
    for (std::size_t i = 0; i < words.size(); ++i)
        shelf.redo();
    QVERIFY(shelf.redoWords().empty());
    QVERIFY(!shelf.find(id));
    shelf.undo();
    QVERIFY(shelf.find(id)->isPinned && shelf.find(id)->name == "fast" && shelf.find(id)->note == "a note");
    QVERIFY(shelf.baseline(settingsOf("sim:v100")) == id);
}

void TestShelf::undo_afterAnotherChange_forgetsWhatWasUndone()
{
    Shelf shelf;
    const ResultId id = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    shelf.rename(id, "one");
    shelf.undo();
    shelf.setPinned(id, true);
    QVERIFY(shelf.redoWords().empty());
    shelf.setPinned(id, true); // no change, so there is no new step
    shelf.undo();
    QVERIFY(shelf.undoWords().empty());
}

void TestShelf::search_underWay_tellsItsBest()
{
    Shelf shelf;
    ScheduleResult waiting;
    waiting.state = ResultState::Waiting;
    const ResultId id = shelf.add(waiting);
    shelf.setRunning(id);
    shelf.setBest(id, 123);
    QVERIFY(shelf.find(id)->isUnderWay());
    QCOMPARE(shelf.find(id)->bestUs, 123.0);
    QVERIFY(!shelf.latency(id)); // there is no latency yet
    shelf.setMade(id, scheduleOf(3, 120), {}, 5);
    QVERIFY(!shelf.find(id)->isUnderWay());
    QCOMPARE(shelf.latency(id)->us, 120.0);
    shelf.setFailed(id, "no device");
    QVERIFY(shelf.find(id)->state == ResultState::Failed);
    shelf.drop(id);
    QVERIFY(!shelf.find(id));
    QVERIFY(shelf.undoWords().empty());
}

void TestShelf::whyNotFitting_saysEachReason()
{
    const RunContext here = settingsOf("sim:v100");
    QVERIFY(whyNotFitting(here, here).empty());
    QCOMPARE(whyNotFitting(settingsOf("sim:k80", 16), here), std::string("on sim:k80, not sim:v100, batch 16, not 1"));
    RunContext other = here;
    other.model = {"nasnet", "x"};
    QCOMPARE(whyNotFitting(other, here), std::string("another model"));
    other.model.name = here.model.name;
    QCOMPARE(whyNotFitting(other, here), std::string("another version of the model"));
    other = here;
    other.deviceVersion += ", changed";
    QCOMPARE(whyNotFitting(other, here), std::string("the device has changed since"));
    other.deviceVersion.clear();
    QCOMPARE(whyNotFitting(other, here), std::string("simulated by an older simulator"));
    other = here;
    other.precision = "tf32";
    QCOMPARE(whyNotFitting(other, here), std::string("tf32, not fp32"));
}

void TestShelf::olderSimulator_keepsItsNumber_isNotCompared()
{
    RunContext before = settingsOf("sim:v100");
    before.deviceVersion.clear(); // as sessions of then have it
    Shelf shelf;
    addSequential(shelf, 900, before);
    const ResultId older = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 300, before);
    addSequential(shelf, 800);
    const ResultId newer = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 200);
    QCOMPARE(shelf.latency(older)->us, 300.0); // equal schedules, but not one latency
    QCOMPARE(shelf.latency(newer)->us, 200.0);
    QCOMPARE(shelf.speedup(older).value_or(0), 3.0); // over the baseline of its own simulator
    QCOMPARE(shelf.speedup(newer).value_or(0), 4.0);

    TimedSchedule then = *shelf.find(older)->schedule;
    then.context = before;
    TimedSchedule now = *shelf.find(newer)->schedule;
    now.context = settingsOf("sim:v100");
    QCOMPARE(provenanceWords(then), std::string("simulated by an older simulator"));
    QCOMPARE(provenanceWords(now), std::string("simulated"));
    QVERIFY(areComparable(then, then) && areComparable(now, now) && !areComparable(then, now));
}

void TestShelf::words_ofEachOrigin_sayWhatMadeIt()
{
    Shelf shelf;
    SearchRecord unbounded = recordOf("ios-parallel", std::nullopt, 4);
    unbounded.singleSource = true;
    const ResultId searched = addSearched(shelf, "IOS-Parallel", unbounded, 3, 100);
    QCOMPARE(madeByText(shelf, *shelf.find(searched)), std::string("any r, s 4, single source"));
    QCOMPARE(madeByText(shelf, *shelf.find(addSequential(shelf, 1))), std::string("one operator a stage"));
    ScheduleResult other;
    other.origin = Origin::Edited;
    other.from = searched;
    QCOMPARE(madeByText(shelf, other), std::string("edited from IOS-Parallel"));
    other.origin = Origin::OpenedFile;
    other.source = "/tmp/mine.schedule.json";
    QCOMPARE(madeByText(shelf, other), std::string("opened: mine.schedule.json"));
    other.origin = Origin::OtherDevice;
    other.source = "sim:k80";
    QCOMPARE(madeByText(shelf, other), std::string("searched for sim:k80"));
    other.origin = Origin::Published;
    other.source = "V100, batch 1";
    QCOMPARE(madeByText(shelf, other), std::string("published for V100, batch 1"));
    other.origin = Origin::Profiled;
    other.source = "/tmp/trace.json.gz";
    QCOMPARE(madeByText(shelf, other), std::string("recorded: trace.json.gz"));
    TimedSchedule profiled;
    profiled.measured.profile = RecordedProfile{};
    profiled.measured.profile->program = "TensorRT";
    other.schedule = std::make_shared<const TimedSchedule>(profiled);
    QCOMPARE(madeByText(shelf, other), std::string("recorded by TensorRT: trace.json.gz"));
}

STAGECRAFT_SUITE(TestShelf)

} // namespace tst_shelf
#include "tst_shelf.moc"
