// Searching in the window: it stays responsive, stops when asked, and shows the result.

#include "app/desktop/noisy_device.h"
#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/areas/search/search_line.h"
#include "search/search_words.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "wiring/device_catalog.h"

#include <QPushButton>
#include <QTableView>
#include <QThread>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace stagecraft;
using namespace std::chrono_literals;

namespace tst_main_window_search {

namespace {

// Counts the stages requested from all sessions of a test, and whether any request came from the window's thread.
struct Asked {
    std::atomic<int> stages = 0;
    std::atomic<bool> byTheWindow = false;

    void add()
    {
        ++stages;
        if (QThread::currentThread() == QCoreApplication::instance()->thread())
            byTheWindow = true;
    }
};

// Answers like the wrapped device, but a few milliseconds later per stage.
class SlowSession : public DeviceSession {
public:
    SlowSession(std::unique_ptr<DeviceSession> inner, std::chrono::milliseconds delay, std::shared_ptr<Asked> asked)
        : m_inner(std::move(inner)), m_delay(delay), m_asked(std::move(asked))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        m_asked->add();
        std::this_thread::sleep_for(m_delay);
        return m_inner->stageLatency(question, stop);
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        return m_inner->measureSchedule(schedule, stop);
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        return m_inner->measureWhole(schedule, stop);
    }
    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        return m_inner->timeline(schedule, stop);
    }
    BoundaryCost boundaryCost() const override { return m_inner->boundaryCost(); }

private:
    std::unique_ptr<DeviceSession> m_inner;
    std::chrono::milliseconds m_delay;
    std::shared_ptr<Asked> m_asked;
};

// Claims to be measured. Sequential takes 300 us, all others 200, and everything takes longer each round.
class NoisySession : public SlowSession {
public:
    using SlowSession::SlowSession;

    bool isNoisy() const override { return true; }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        const bool sequential =
            std::ranges::all_of(schedule.stages, [](const Stage &s) { return s.operatorCount() == 1; });
        const double latencyUs = (sequential ? 300 : 200) * (1 + m_timed++ / 3); // three schedules per round
        return ScheduleLatency{Timing::ofLatency(latencyUs)};
    }

private:
    int m_timed = 0;
};

// Stages of several operators kill its worker.
class DyingSession : public SlowSession {
public:
    using SlowSession::SlowSession;

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (const std::size_t operators = question.stage.operatorCount(); operators > 1)
            return tl::unexpected(Error{ErrorCode::DeviceFailed,
                                        "the worker was killed",
                                        "Close other programs",
                                        {"stage of " + std::to_string(operators) + " operators"}});
        return SlowSession::stageLatency(question, stop);
    }
};

template <typename Session>
class SlowDevice : public Device {
public:
    SlowDevice(std::unique_ptr<Device> inner, std::chrono::milliseconds delay, std::shared_ptr<Asked> asked)
        : m_inner(std::move(inner)), m_delay(delay), m_asked(std::move(asked))
    {
    }

    DeviceInfo info() const override { return m_inner->info(); }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        auto session = m_inner->open(std::move(graph));
        if (!session)
            return session;
        return std::make_unique<Session>(std::move(*session), m_delay, m_asked);
    }

private:
    std::unique_ptr<Device> m_inner;
    std::chrono::milliseconds m_delay;
    std::shared_ptr<Asked> m_asked;
};

template <typename Session = SlowSession>
Services slowEngine(std::chrono::milliseconds delay, const std::shared_ptr<Asked> &asked = std::make_shared<Asked>())
{
    Services services = installedServices();
    services.findDevice = [delay, asked](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device)
            return device;
        return std::make_unique<SlowDevice<Session>>(std::move(*device), delay, asked);
    };
    return services;
}

} // namespace

class TestMainWindowSearch : public WindowTest {
    Q_OBJECT

private slots:
    void open_refusedDuringSearch_keepsSearching();
    void comparison_launchesFromTheHost_hasARowOfOneGraph();
    void open_otherModel_searchGoesOnForItsOwn();
    void search_finishes_showsTheSchedule();
    void search_rZero_isRefused();
    void search_stop_keepsTheBestAndAsksForNoMore();
    void search_nasnet_leavesTheWindowsThreadAlone();
    void search_closeWindow_stopsCleanly();
    void compare_makesAllFive();
    void search_onAMeasuredDevice_timesInRounds();
    void search_slowerThanABaselineInRounds_keepsItsRow();
    void search_stagesLeftOut_saysHowManyAndWhy();
};

void TestMainWindowSearch::open_refusedDuringSearch_keepsSearching()
{
    TestedWindow window(slowEngine(2ms));
    openAndWait(window, QStringLiteral("inception_v3"));
    window.startSearch();
    QSignalSpy failed(window.open(), &OpenArea::failed);
    window.openModel(write(QStringLiteral("no.onnx"), "no"));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(window.queue()->isSearching());
}

void TestMainWindowSearch::open_otherModel_searchGoesOnForItsOwn()
{
    TestedWindow window(slowEngine(1ms));
    openAndWait(window, QStringLiteral("squeezenet"));
    window.startSearch();
    QVERIFY(window.queue()->isSearching());
    const ResultId searched = window.document()->results()->shelf().results().back().id;
    window.openModel(QStringLiteral("sample"));
    QTRY_COMPARE(window.document()->next()->spec(), QStringLiteral("sample"));
    QTRY_VERIFY(window.isSettled());
    // The result is on the shelf with the model it was searched for; the new model has its baselines and is shown.
    const ScheduleResult *result = window.document()->results()->shelf().find(searched);
    QVERIFY(result && result->schedule);
    QCOMPARE(QString::fromStdString(result->settings.model.name), QStringLiteral("squeezenet"));
    QVERIFY(!resultOf(window, ScheduleKind::IosBoth));
    QCOMPARE(window.document()->results()->fitting().size(), std::size_t{2});
    QVERIFY(!window.searchPanel()->isRunning());
    // The tool bar tells of the model that is shown.
    QVERIFY2(window.searchPanel()->progressText().startsWith(QStringLiteral("sample is not searched yet")),
             qPrintable(window.searchPanel()->progressText()));
    window.document()->results()->setCurrent(searched);
    QVERIFY2(window.searchPanel()->progressText().startsWith(
                 QStringLiteral("IOS-Both of squeezenet best schedule with barriers (r ")),
             qPrintable(window.searchPanel()->progressText()));
}

void TestMainWindowSearch::search_finishes_showsTheSchedule()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("inception_v3"));
    QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
    QTest::mouseClick(window.searchPanel()->findChild<QPushButton *>(), Qt::LeftButton);
    QTRY_COMPARE(finished.count(), 1);
    QTRY_VERIFY(window.isSettled());
    const Document &document = *window.document();
    QCOMPARE(document.results()->current(), document.results()->newest(ScheduleKind::IosBoth));
    QVERIFY(document.results()->front().schedule);
    QVERIFY(!document.results()->shelf().find(document.results()->current())->blocks.empty());
    QVERIFY(*document.results()->front().schedule->latencyUs() <=
            *scheduleOf(window, ScheduleKind::Sequential)->latencyUs());
    QVERIFY(document.results()->front().timeline);
    QVERIFY2(window.searchPanel()->progressText().contains(
                 QString::fromStdString(outcomeText(document.results()->front().schedule->search))),
             qPrintable(window.searchPanel()->progressText()));
    QVERIFY(!window.searchPanel()->isRunning());
    QCOMPARE(window.schedulePane()->view()->schedule(), document.results()->front().schedule);
}

void TestMainWindowSearch::search_rZero_isRefused()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    SearchOptions options = window.searchPanel()->options();
    options.r = 0;
    window.searchPanel()->setOptions(options);
    window.startSearch();
    QVERIFY(!window.queue()->isSearching());
    QVERIFY(window.messages()->isVisible());
    QVERIFY2(window.messages()->text().contains(QStringLiteral("r = 0")), qPrintable(window.messages()->text()));
}

void TestMainWindowSearch::search_stop_keepsTheBestAndAsksForNoMore()
{
    const auto asked = std::make_shared<Asked>();
    TestedWindow window(slowEngine(2ms, asked));
    window.show();
    openAndWait(window, QStringLiteral("nasnet"));
    bool found = false;
    connect(window.findChild<SearchLine *>(), &SearchLine::progressed, &window,
            [&](ResultId, const SearchProgress &progress) { found = found || progress.bestUs > 0; });
    QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
    window.startSearch();
    QTRY_VERIFY(found);
    window.queue()->stopSearch();
    const int before = asked->stages;
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(asked->stages <= before + 1); // one request may be on its way
    const SchedulePtr schedule = scheduleOf(window, ScheduleKind::IosBoth);
    QVERIFY(schedule);
    QVERIFY(schedule->search.termination == Termination::Cancelled);
}

void TestMainWindowSearch::search_nasnet_leavesTheWindowsThreadAlone()
{
    const auto asked = std::make_shared<Asked>();
    TestedWindow window(slowEngine(0ms, asked));
    window.show();
    openAndWait(window, QStringLiteral("nasnet"));
    QTRY_VERIFY(window.isSettled());
    QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
    bool seenAtWork = false; // the device's report reaches the window during the search
    connect(window.findChild<SearchLine *>(), &SearchLine::progressed, &window,
            [&] { seenAtWork |= window.queue()->isSearching(); });
    const int before = asked->stages;
    window.startSearch();
    QVERIFY(window.queue()->isSearching()); // starting does not block
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
    QVERIFY(seenAtWork);
    QVERIFY(asked->stages > before);
    QVERIFY(!asked->byTheWindow);
}

void TestMainWindowSearch::search_closeWindow_stopsCleanly()
{
    const auto asked = std::make_shared<Asked>();
    int before = 0;
    {
        TestedWindow window(slowEngine(2ms, asked));
        window.show();
        openAndWait(window, QStringLiteral("nasnet"));
        const int opened = asked->stages;
        window.startSearch();
        QTRY_VERIFY(asked->stages > opened);
        QVERIFY(window.close());
        before = asked->stages;
        QVERIFY(!window.queue()->isSearching());
    }
    QVERIFY(asked->stages <= before + 1); // the threads ended with the running request
}

void TestMainWindowSearch::compare_makesAllFive()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
    window.compareAll();
    QTRY_COMPARE(finished.count(), 1);
    const std::vector<ComparisonRow> &rows = window.comparison()->rows();
    QCOMPARE(rows.size(), std::size_t{5});
    for (const ComparisonRow &row : rows) {
        QVERIFY2(row.latencyUs, qPrintable(row.title));
        QVERIFY(row.speedup && row.stages > 0);
    }
    QCOMPARE(*rows[0].speedup, 1.0);
    QVERIFY(*rows[4].latencyUs <= *rows[2].latencyUs);
    QVERIFY(*rows[4].latencyUs <= *rows[3].latencyUs);
    emit window.comparison()->rowActivated(2);
    QCOMPARE(window.document()->results()->current(), window.document()->results()->newest(ScheduleKind::IosMerge));
    QVERIFY2(window.schedulePane()->titleText().startsWith(QStringLiteral("IOS-Merge")),
             qPrintable(window.schedulePane()->titleText()));
}

// Its stages alone are faster, the whole is not.
void TestMainWindowSearch::search_slowerThanABaselineInRounds_keepsItsRow()
{
    TestedWindow window(test::noisyEngine([](const Schedule &schedule) {
        const bool isSequential = std::ranges::all_of(schedule.stages, [](const Stage &stage) {
            return stage.groups.size() == 1 && stage.groups[0].size() == 1;
        });
        return isSequential ? 1 : 3;
    }));
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.startSearch();
    QTRY_VERIFY(window.isSettled());
    const Document &document = *window.document();
    const ScheduleResult *both = resultOf(window, ScheduleKind::IosBoth);
    const SchedulePtr sequential = scheduleOf(window, ScheduleKind::Sequential);
    QVERIFY(both && both->schedule && sequential);
    QCOMPARE(document.results()->shelf().results().size(), std::size_t{3});
    QVERIFY(both->schedule->stages.size() < sequential->stages.size());
    QVERIFY(both->schedule->search.termination == Termination::Optimal);
    QVERIFY(*document.results()->shelf().speedup(both->id) < 1);
    // One number in tool bar, row and pane; the line has ended with the rounds, and says which baseline is faster.
    const QString told = window.searchPanel()->progressText();
    const QString latency = latencyText(document.results()->shelf().latency(both->id)->us);
    QVERIFY2(told.contains(QStringLiteral("IOS-Both of squeezenet best schedule with barriers (r ")), qPrintable(told));
    QVERIFY2(told.contains(QStringLiteral("latency %1 ").arg(latency)), qPrintable(told));
    QVERIFY2(told.contains(QStringLiteral("faster Sequential, ")) && !told.contains(QStringLiteral("round")),
             qPrintable(told));
    QCOMPARE(latencyText(*document.results()->front().schedule->latencyUs()), latency);
}

void TestMainWindowSearch::search_onAMeasuredDevice_timesInRounds()
{
    TestedWindow window(slowEngine<NoisySession>(0ms));
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QTRY_VERIFY(window.isSettled());
    QVERIFY(!window.comparison()->rows()[1].interval);
    QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
    window.startSearch();
    QTRY_COMPARE(finished.count(), 1);
    const std::vector<ComparisonRow> rows = window.comparison()->rows();
    for (const ScheduleKind kind : {ScheduleKind::Greedy, ScheduleKind::IosBoth}) {
        const ComparisonRow &row = rows[placeOf(window, window.document()->results()->newest(kind))];
        QVERIFY(row.speedup && row.interval);
        // Although each round is slower than the previous one.
        QVERIFY(qFuzzyCompare(*row.speedup, 1.5));
        QVERIFY(qFuzzyCompare(row.interval->first, 1.5));
        QVERIFY(qFuzzyCompare(row.interval->second, 1.5));
        const double least = *rows[0].latencyUs / 1.5;
        QVERIFY(qFuzzyCompare(*row.latencyUs, least)); // the numbers on screen are consistent
        QCOMPARE(row.verdict, QStringLiteral("faster"));
    }
    const ComparisonRow &found = rows[placeOf(window, window.document()->results()->newest(ScheduleKind::IosBoth))];
    QVERIFY(found.gapOfUs); // the proof is about another latency than the timed one
    QVERIFY(*found.gapOfUs != *found.latencyUs);
    QCOMPARE(rows.size(), std::size_t{3}); // no other strategies were searched
}

void TestMainWindowSearch::search_stagesLeftOut_saysHowManyAndWhy()
{
    TestedWindow window(slowEngine<DyingSession>(0ms));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
    window.startSearch();
    QTRY_COMPARE(finished.count(), 1);
    const std::int64_t stages = window.document()->results()->front().schedule->search.stagesRefused;
    QVERIFY(stages > 0);
    QVERIFY(window.messages()->isVisible());
    QCOMPARE(window.messages()->text(),
             QStringLiteral("IOS-Both left out %1 that could not be measured, for example: "
                            "stage of 2 operators: the worker was killed. Close other programs.")
                 .arg(plural(stages, "stage")));
}

void TestMainWindowSearch::comparison_launchesFromTheHost_hasARowOfOneGraph()
{
    TestedWindow window(installedServices());
    openAndWait(window, QStringLiteral("squeezenet"));
    auto *table = window.comparison()->findChild<QTableView *>();
    const auto lastTitle = [&] { return table->model()->index(table->model()->rowCount() - 1, 0).data().toString(); };
    const QString title = QStringLiteral("Sequential, one CUDA graph");
    QCOMPARE(lastTitle(), title);
    const std::size_t results = window.comparison()->rows().size();
    QCOMPARE(static_cast<std::size_t>(table->model()->rowCount()), results + 1);
    const QModelIndex row = table->model()->index(table->model()->rowCount() - 1, 2);
    QVERIFY2(!row.data().toString().isEmpty(), qPrintable(title)); // against the baseline
    QVERIFY(row.data(Qt::ToolTipRole).toString().contains(QStringLiteral("sim:v100:graph")));
    const ResultId before = window.document()->results()->current();
    emit table->clicked(row); // it is no result
    QCOMPARE(window.document()->results()->current(), before);
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:a100")));
    QTRY_VERIFY(isIdle(window));
    QVERIFY2(lastTitle() != title, qPrintable(lastTitle()));
}

STAGECRAFT_SUITE(TestMainWindowSearch)

} // namespace tst_main_window_search
#include "tst_main_window_search.moc"
