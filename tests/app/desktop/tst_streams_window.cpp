// Schedules of streams, as a person sees them: searched for, opened from a file, shown as lanes, edited, beside stages,
// kept in a session.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "export/formats.h"
#include "flow/export_results.h"
#include "results/files/schedule_json.h"
#include "results/shelf_words.h"
#include "schedule/edit/edit.h"
#include "schedule/streams/stream_events.h"
#include "search/streams/nimble.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/comparison/time_parts_chart.h"
#include "widgets/inspector/inspector.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_gutter.h"
#include "widgets/schedule/streams_edit_tool.h"
#include "widgets/schedule/streams_view.h"
#include "widgets/search/search_panel.h"

#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStatusBar>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>
#include <set>

using namespace stagecraft;

namespace tst_streams_window {

class TestStreamsWindow : public WindowTest {
    Q_OBJECT

private slots:
    void open_file_isShownAsLanes();
    void search_eachStrategy_makesAResult_data();
    void search_eachStrategy_makesAResult();
    void page_randomStreams_launchesNeverOverlap();
    void keys_goAlongTheStreamAndTheLaunchOrder();
    void beside_stages_showsTheSameOperator();
    void beside_stages_areLevelAtCommonCuts();
    void beside_stages_differenceAndTimePartsTakeLaunches();
    void beside_otherStreams_differ();
    void search_launchOrders_areChosenAndSaid();
    void edit_byKeysAndMouse_makesADraftThatIsMeasured();
    void edit_illegal_saysWhyAndChangesNothing();
    void edit_eventsAndSwaps_nameTheOtherLaunch();
    void pins_stayAndTheRestIsImproved();
    void menu_hasTheEditsOfWhatIsShown();
    void export_takesFormatsOfStreamsAlone();
    void session_keepsStreamsAndTheStrategy();

private:
    // Of the open model, by Nimble's rule.
    QString fileOf(const MainWindow &window)
    {
        const ModelPtr model = window.document()->next()->model();
        TimedSchedule schedule;
        schedule.streams = nimbleStreams(*model->graph);
        schedule.context.model = {model->name, model->sha256};
        schedule.search.strategy = "nimble";
        return write(QStringLiteral("nimble.schedule.json"),
                     QByteArray::fromStdString(toJson(*model->graph, schedule)));
    }

    static const Streams &streamsOf(const MainWindow &window)
    {
        return *window.document()->results()->front().schedule->streams;
    }

    static std::size_t launchOf(const MainWindow &window, const std::string &name)
    {
        const Graph &graph = *window.document()->next()->model()->graph;
        return launchOfOperators(graph, streamsOf(window))[graph.find(name)->index()];
    }

    static void select(const MainWindow &window, const std::string &name)
    {
        paneOf(window)->streams()->setFocus();
        paneOf(window)->selection()->set({window.document()->next()->model()->graph->find(name), std::nullopt});
    }

    static void drag(StreamsView &view, QPoint from, QPoint to, bool isDropped = true)
    {
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
        for (const double part : {0.3, 0.6, 1.0}) {
            const QPointF at = QPointF(from) + part * QPointF(to - from);
            QMouseEvent move(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QCoreApplication::sendEvent(view.viewport(), &move);
        }
        if (isDropped)
            QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, to);
    }

    static SchedulePane *paneOf(const MainWindow &window) { return window.findChild<PaneRow *>()->focusedPane(); }

    void openStreams(TestedWindow &window, const QString &model)
    {
        window.resize(1500, 900);
        window.show();
        openAndWait(window, model);
        window.openPath(fileOf(window));
        QTRY_VERIFY(paneOf(window)->schedule() && paneOf(window)->schedule()->streams);
        QTRY_VERIFY(isIdle(window));
    }

    static void search(TestedWindow &window, const QString &word)
    {
        window.findChild<SearchPanel *>()->setOther(word);
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(
            paneOf(window)->schedule() && paneOf(window)->schedule()->search.strategy == word.toStdString(), 60'000);
        QTRY_VERIFY(isIdle(window));
    }
};

void TestStreamsWindow::open_file_isShownAsLanes()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    const SchedulePane *pane = paneOf(window);
    const Streams &streams = *pane->schedule()->streams;
    QVERIFY(pane->streams()->isVisible() && !pane->view()->isVisible());
    QCOMPARE(pane->streams()->page().lanes.size(), std::size_t{streams.count});
    QCOMPARE(pane->streams()->page().boxes.size(), streams.launches.size());
    QCOMPARE(pane->streams()->page().arrows.size(), streams.eventCount());
    QVERIFY2(pane->summaryText().contains(QStringLiteral("streams %1").arg(streams.count)),
             qPrintable(pane->summaryText()));
    QVERIFY(pane->summaryText().contains(QStringLiteral("simulated")));
    QVERIFY(!pane->summaryText().contains(QStringLiteral("stages")));
    const std::size_t last = streams.launches.size() - 1;
    const OperatorId wanted = streams.launches[1].operators.front();
    QTest::mouseClick(pane->streams()->viewport(), Qt::LeftButton, {}, pane->streams()->launchRect(1).center());
    QCOMPARE(pane->selection()->current().op, std::optional(wanted));
    QVERIFY(!pane->selection()->current().stage);
    const QString said = pane->streams()->accessibleDescription();
    QVERIFY2(said.contains(QStringLiteral("launch 2 of %1").arg(last + 1)), qPrintable(said));
    const QString page = window.findChild<Inspector *>()->plainText();
    QVERIFY2(page.contains(QStringLiteral("Stream")) && page.contains(QStringLiteral("2 of %1").arg(last + 1)),
             qPrintable(page));
}

void TestStreamsWindow::search_eachStrategy_makesAResult_data()
{
    QTest::addColumn<QString>("word");
    for (const char *word : {"nimble", "opara", "by-depth", "list", "round-robin", "ios-relaxed", "streams"})
        QTest::newRow(word) << QString::fromLatin1(word);
}

void TestStreamsWindow::search_eachStrategy_makesAResult()
{
    QFETCH(const QString, word);
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    search(window, word);
    const Results &results = *window.document()->results();
    const ScheduleResult *result = results.shelf().find(results.current());
    QVERIFY(result && result->origin == Origin::Searched && result->state == ResultState::Done);
    QVERIFY(result->schedule->streams && results.shelf().latency(results.current())->us > 0);
    const QString line = window.findChild<SearchPanel *>()->progressText();
    QVERIFY2(!line.contains(QStringLiteral("measurements")), qPrintable(line)); // those are of stages
}

// What the page promises: down the page is launch order, and an event goes down.
void TestStreamsWindow::page_randomStreams_launchesNeverOverlap()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("googlenet"));
    const Streams &streams = *paneOf(window)->schedule()->streams;
    for (const double zoom : {0.3, 1.0, 2.0}) {
        const StreamsPage page = streamsPage(streams, 700, zoom);
        for (std::size_t i = 0; i < page.boxes.size(); ++i) {
            QVERIFY(QRectF(QPointF(), page.size).contains(page.boxes[i]));
            QVERIFY(page.lanes[streams.launches[i].stream].rect.contains(page.boxes[i]));
            QVERIFY(i == 0 || page.rows[i] >= page.rows[i - 1]);
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!page.boxes[i].intersects(page.boxes[j]));
            QCOMPARE(page.launchAt(page.boxes[i].center()), std::optional(i));
        }
        for (const EventArrow &arrow : page.arrows)
            QVERIFY(arrow.end.y() > arrow.start.y());
    }
}

void TestStreamsWindow::keys_goAlongTheStreamAndTheLaunchOrder()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("googlenet"));
    const SchedulePane *pane = paneOf(window);
    const auto &launches = pane->schedule()->streams->launches;
    const auto launchOf = [&](OperatorId op) {
        return static_cast<std::size_t>(
            std::ranges::find_if(launches, [&](const StreamLaunch &launch) { return launch.operators.front() == op; }) -
            launches.begin());
    };
    QTest::keyClick(pane->streams(), Qt::Key_Right);
    for (std::size_t expected = 0; expected < 12; ++expected) {
        QCOMPARE(launchOf(*pane->selection()->current().op), expected);
        QTest::keyClick(pane->streams(), Qt::Key_Right);
    }
    const std::size_t from = launchOf(*pane->selection()->current().op);
    QTest::keyClick(pane->streams(), Qt::Key_Down);
    const std::size_t to = launchOf(*pane->selection()->current().op);
    QVERIFY(to > from && launches[to].stream == launches[from].stream);
    QVERIFY(pane->streams()->viewport()->rect().contains(pane->streams()->launchRect(to)));
    QTest::keyClick(pane->streams(), Qt::Key_Escape);
    QVERIFY(!pane->selection()->current().op);
}

void TestStreamsWindow::beside_stages_showsTheSameOperator()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    auto *panes = window.findChild<PaneRow *>();
    panes->openBeside(window.document()->results()->newest(ScheduleKind::Greedy));
    QCOMPARE(panes->count(), std::size_t{2});
    QVERIFY(!panes->areStagesCompared()); // streams have no stages to take or to fold
    SchedulePane *first = panes->pane(0);
    QTest::mouseClick(first->streams()->viewport(), Qt::LeftButton, {}, first->streams()->launchRect(0).center());
    QCOMPARE(panes->focused(), std::size_t{0}); // a click gives it the focus
    const Selected &there = panes->pane(1)->selection()->current();
    QCOMPARE(there.op, first->selection()->current().op);
    QVERIFY(there.stage);
}

// At each concatenation of GoogLeNet all has run in both.
void TestStreamsWindow::beside_stages_areLevelAtCommonCuts()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("googlenet"));
    auto *panes = window.findChild<PaneRow *>();
    panes->openBeside(window.document()->results()->newest(ScheduleKind::Greedy));
    const SchedulePane &streams = *panes->pane(0);
    const SchedulePane &stages = *panes->pane(1);
    const Graph &graph = *window.document()->next()->model()->graph;
    const auto launchOf = launchOfOperators(graph, *streams.schedule()->streams);
    const auto topOfLaunch = [&](const std::string &name) {
        return streams.streams()->page().boxes[launchOf[graph.find(name)->index()]].top();
    };
    const auto topOfStage = [&](const std::string &name) {
        const auto stageOf = stageOfOperator(graph, *stages.schedule());
        return stages.view()->page().rows[stageOf[graph.find(name)->index()]].rect.top();
    };
    std::vector<double> apart;
    for (const Operator &op : graph.operators()) {
        if (op.name.ends_with("/concat"))
            apart.push_back(topOfLaunch(op.name) - topOfStage(op.name));
    }
    QVERIFY(apart.size() > 8);
    for (const double each : apart) // a launch has half of the gap to the row before it above itself
        QCOMPARE(each, apart.front());
    QVERIFY(apart.front() > 0 && apart.front() < 20);
    QCOMPARE(streams.streams()->verticalScrollBar()->maximum(), stages.view()->verticalScrollBar()->maximum());
    stages.view()->verticalScrollBar()->setValue(700);
    QCOMPARE(streams.streams()->verticalScrollBar()->value(), 700);
    streams.streams()->setZoom(0.6);
    QCOMPARE(stages.view()->zoom(), 0.6);
    QCOMPARE(topOfLaunch("inception4a/concat") - topOfStage("inception4a/concat"), 0.6 * apart.front());
    // Between them each span says what it takes in both.
    const SpanGutter *gutter = panes->gutter(0);
    QTRY_VERIFY(panes->besideStreams(0) && panes->besideStreams(0)->timeParts(0));
    QCOMPARE(gutter->ribbonCount(), std::size_t{0});
    const ComparedSchedules &beside = *panes->besideStreams(0);
    double stagesUs = 0;
    double launchesUs = 0;
    bool areNumbers = false;
    for (std::size_t span = 0; span < beside.spans().size(); ++span) {
        launchesUs += *beside.spanUs(span, 0);
        stagesUs += *beside.spanUs(span, 1);
        areNumbers = areNumbers || !gutter->numbers(span).isEmpty();
        QVERIFY(gutter->arrowRect(span, SpanGutter::Arrow::IntoLeft).isEmpty());
    }
    QVERIFY(areNumbers);
    QVERIFY(std::abs(launchesUs - *streams.schedule()->latencyUs()) < 1);
    QVERIFY(std::abs(stagesUs - *stages.schedule()->latencyUs()) < 1e-6); // with all barriers
    panes->close(1);
    const double alone = topOfLaunch("inception4a/concat");
    panes->openBeside(window.document()->results()->newest(ScheduleKind::Greedy));
    QVERIFY(topOfLaunch("inception4a/concat") > alone);
}

void TestStreamsWindow::beside_stages_differenceAndTimePartsTakeLaunches()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("googlenet"));
    auto *panes = window.findChild<PaneRow *>();
    panes->openBeside(window.document()->results()->newest(ScheduleKind::Greedy));
    QTRY_VERIFY(panes->compared() && panes->compared()->timeParts(0) && panes->compared()->timeParts(1));
    const std::shared_ptr<const ComparedSchedules> compared = panes->compared();
    QVERIFY(compared->schedule(0).streams && !compared->schedule(1).streams); // as the panes stand
    QTreeWidget *tree = window.findChild<DifferenceTable *>()->tree();
    QCOMPARE(tree->topLevelItem(0)->text(1), shortLatencyText(*compared->schedule(0).latencyUs(), false));
    QCOMPARE(tree->topLevelItem(0)->text(2), shortLatencyText(*compared->schedule(1).latencyUs(), false));
    QStringList titles;
    for (QTreeWidgetItemIterator item(tree); *item; ++item)
        titles << (*item)->text(0);
    const StageRange &launches = compared->spans().front().sides[0];
    QVERIFY(titles.contains(QStringLiteral("%1 | %2").arg(
        launches.count == 1 ? QStringLiteral("launch 1") : QStringLiteral("launches 1 to %1").arg(launches.count),
        stagesText(compared->spans().front().sides[1]))));
    QVERIFY(!titles.join(QLatin1Char('\n')).contains(QStringLiteral("counterpart")));
    // F8 visits each span in the pane in focus, whichever that is.
    for (const std::size_t focused : {std::size_t{1}, std::size_t{0}}) {
        panes->focus(focused);
        panes->pane(focused)->selection()->clear();
        for (std::size_t expected = 0; expected < 3; ++expected) {
            QTest::keyClick(&window, Qt::Key_F8);
            QCOMPARE(panes->currentSpan(), std::optional(expected));
        }
        QCOMPARE(panes->focused(), focused);
        const Selected &chosen = panes->focusedPane()->selection()->current();
        QCOMPARE(chosen.op.has_value(), focused == 0);
        QVERIFY(window.statusBar()->currentMessage().contains(focused == 0 ? QStringLiteral("launch")
                                                                           : QStringLiteral("of A")));
    }
    // Bars for both, for a block of both, and a span.
    auto *chart = window.findChild<TimePartsChart *>();
    QCOMPARE(chart->drawing().shown().bars.size(), std::size_t{2});
    for (std::size_t side = 0; side < 2; ++side)
        QVERIFY(std::abs(chart->drawing().shown().bars[side].parts.totalUs() - *compared->schedule(side).latencyUs()) <
                1e-6);
    chart->setScope(1);
    for (std::size_t side = 0; side < 2; ++side)
        QCOMPARE(chart->drawing().shown().bars[side].parts.totalUs(),
                 compared->timeParts(side)->of(compared->rangeOfBlock(side, 0)).totalUs());
}

void TestStreamsWindow::beside_otherStreams_differ()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("googlenet"));
    const ResultId nimble = window.document()->results()->current();
    search(window, QStringLiteral("opara"));
    auto *panes = window.findChild<PaneRow *>();
    panes->openBeside(nimble);
    QTRY_VERIFY(panes->compared() && panes->compared()->timeParts(0) && panes->compared()->timeParts(1));
    const ComparedSchedules &compared = *panes->compared();
    QVERIFY(compared.differences() > 0 && compared.differences() < compared.spans().size());
    QVERIFY(std::ranges::any_of(compared.spans(), [](const CommonSpan &span) { return span.block > 0; }));
    QTest::keyClick(&window, Qt::Key_F8);
    QVERIFY(panes->currentSpan() && !compared.spans()[*panes->currentSpan()].isEqual);
    QStringList titles;
    for (QTreeWidgetItemIterator item(window.findChild<DifferenceTable *>()->tree()); *item; ++item)
        titles << (*item)->text(0);
    QVERIFY2(!titles.filter(QRegularExpression(QStringLiteral("^[0-9]+ launch(es)? equal$"))).isEmpty(),
             qPrintable(titles.join(QLatin1Char('\n'))));
}

void TestStreamsWindow::search_launchOrders_areChosenAndSaid()
{
    TestedWindow window(installedServices());
    window.resize(1500, 900);
    window.show();
    openAndWait(window, QStringLiteral("googlenet"));
    QAction *action = window.findChild<SearchPanel *>()->launchOrderAction();
    QVERIFY(action->isCheckable() && !action->isChecked());
    action->trigger();
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(paneOf(window)->schedule() && paneOf(window)->schedule()->search.launchOrders, 60'000);
    const TimedSchedule &schedule = *paneOf(window)->schedule();
    const auto ordered = std::ranges::find_if(schedule.stages, [](const Stage &s) { return !s.launchOrder.empty(); });
    QVERIFY(ordered != schedule.stages.end());
    const ScheduleResult *result = window.document()->results()->shelf().find(window.document()->results()->current());
    QVERIFY(madeByText(window.document()->results()->shelf(), *result).find("launch orders") != std::string::npos);
    const auto stage = static_cast<std::size_t>(ordered - schedule.stages.begin());
    paneOf(window)->selection()->set({std::nullopt, stage});
    QTRY_VERIFY(window.findChild<Inspector *>()->plainText().contains(QStringLiteral("Launch order")));
    QVERIFY(window.findChild<SearchPanel *>()->options().ordersLaunches);
}

void TestStreamsWindow::edit_byKeysAndMouse_makesADraftThatIsMeasured()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    SchedulePane *pane = paneOf(window);
    const ResultId id = window.document()->results()->current();
    const Streams before = streamsOf(window);
    select(window, "fire2/expand1x1");
    QTest::keyClick(pane->streams(), Qt::Key_Right, Qt::ControlModifier);
    QTRY_VERIFY(window.isSettled());
    const ResultId edited = window.document()->results()->current();
    QVERIFY(edited != id);
    QVERIFY(window.document()->results()->front().schedule->latencyUs());
    const std::size_t launch = launchOf(window, "fire2/expand1x1");
    QCOMPARE(streamsOf(window).launches[launch].stream, before.launches[launch].stream + 1);
    QVERIFY(pane->titleText().contains(QStringLiteral("edited")));

    // Beyond the last lane by mouse: a new stream. Then everything is taken back, and made again.
    const QRect box = pane->streams()->launchRect(launch);
    drag(*pane->streams(), box.center(), {pane->streams()->viewport()->width() - 8, box.center().y()});
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->results()->current(), edited);
    QCOMPARE(streamsOf(window).count, before.count + 1);
    window.document()->results()->undo();
    window.document()->results()->undo();
    QTRY_COMPARE(window.document()->results()->current(), id);
    QVERIFY(streamsOf(window) == before); // as fast as the edit
    window.document()->results()->redo();
    window.document()->results()->redo();
    QCOMPARE(streamsOf(window).count, before.count + 1);
    QTRY_VERIFY(window.isSettled());
}

void TestStreamsWindow::edit_illegal_saysWhyAndChangesNothing()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    SchedulePane *pane = paneOf(window);
    const ResultId id = window.document()->results()->current();
    const QRect first = pane->streams()->launchRect(0);
    const QRect later = pane->streams()->launchRect(3);
    drag(*pane->streams(), first.center(), {first.center().x(), later.bottom() + 6}, false);
    QVERIFY2(pane->streamsTool()->saidText().contains(QStringLiteral("runs before conv1, whose output it reads")),
             qPrintable(pane->streamsTool()->saidText()));
    QTest::keyClick(pane->streams(), Qt::Key_Escape);
    QTest::mouseRelease(pane->streams()->viewport(), Qt::LeftButton, {}, later.center());
    QCOMPARE(window.document()->results()->current(), id);
    select(window, "conv1");
    QTest::keyClick(pane->streams(), Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(pane->streamsTool()->saidText(), QStringLiteral("It is on the first stream"));
    QTest::keyClick(pane->streams(), Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(pane->streamsTool()->saidText(), QStringLiteral("It is launched first"));
    QTest::keyClick(pane->streams(), Qt::Key_Down, Qt::ControlModifier);
    QVERIFY(pane->streamsTool()->saidText().contains(QStringLiteral("maxpool1: runs before conv1")));
    const auto refused = window.document()->editor()->edit(id, JoinStages{{0, 1}, false});
    QVERIFY(!refused && QString::fromStdString(refused.error().message).contains(QStringLiteral("with stages")));
    QCOMPARE(window.document()->results()->current(), id);
}

void TestStreamsWindow::edit_eventsAndSwaps_nameTheOtherLaunch()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    SchedulePane *pane = paneOf(window);
    const Streams before = streamsOf(window);
    const auto clickOn = [&](const char *name) {
        QTest::mouseClick(pane->streams()->viewport(), Qt::LeftButton, {},
                          pane->streams()->launchRect(launchOf(window, name)).center());
    };
    select(window, "fire2/squeeze");
    QTest::keyClick(pane->streams(), Qt::Key_E);
    QVERIFY(pane->streamsTool()->saidText().startsWith(QStringLiteral("Event between fire2/squeeze and")));
    clickOn("fire2/expand1x1"); // it is there, and an edge needs it
    QVERIFY2(pane->streamsTool()->saidText().contains(QStringLiteral("reads the output of fire2/squeeze")),
             qPrintable(pane->streamsTool()->saidText()));
    QVERIFY(streamsOf(window) == before);

    select(window, "fire2/expand3x3");
    QTest::keyClick(pane->streams(), Qt::Key_E);
    select(window, "fire2/expand1x1");
    QTest::keyClick(pane->streams(), Qt::Key_Return);
    QCOMPARE(streamsOf(window).eventCount(), before.eventCount() + 1);
    select(window, "fire2/expand1x1");
    QTest::keyClick(pane->streams(), Qt::Key_E);
    clickOn("fire2/expand3x3"); // from whichever side
    QVERIFY(streamsOf(window) == before);

    select(window, "fire2/expand3x3");
    QTest::keyClick(pane->streams(), Qt::Key_X);
    clickOn("fire2/expand1x1");
    QCOMPARE(streamsOf(window).launches[launchOf(window, "fire2/expand3x3")].stream,
             before.launches[launchOf(window, "fire2/expand1x1") == 3 ? 4 : 3].stream);
    QTest::keyClick(pane->streams(), Qt::Key_X);
    QTest::keyClick(pane->streams(), Qt::Key_Escape);
    QVERIFY(pane->streamsTool()->saidText().isEmpty());
    QTRY_VERIFY(window.isSettled());
}

void TestStreamsWindow::pins_stayAndTheRestIsImproved()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    SchedulePane *pane = paneOf(window);
    const ResultId id = window.document()->results()->current();
    const double beforeUs = *window.document()->results()->front().schedule->latencyUs();
    select(window, "fire2/expand1x1");
    const std::size_t launch = launchOf(window, "fire2/expand1x1");
    QTest::keyClick(pane->streams(), Qt::Key_P);
    QVERIFY(pane->streams()->marks()[launch].isPinned);
    QCOMPARE(window.document()->editor()->pinnedStages(id).size(), std::size_t{1});
    window.document()->results()->undo();
    QVERIFY(window.document()->editor()->pinnedStages(id).empty());
    window.document()->results()->redo();
    QVERIFY(pane->streams()->marks()[launch].isPinned);
    QTest::keyClick(pane->streams(), Qt::Key_I, Qt::ControlModifier);
    QTRY_VERIFY(window.document()->results()->current() != id);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(*window.document()->results()->front().schedule->latencyUs() <= beforeUs);
    QVERIFY(window.document()->results()->front().schedule->streams);
}

void TestStreamsWindow::menu_hasTheEditsOfWhatIsShown()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    QMenu *menu = nullptr;
    for (QMenu *each : window.menuBar()->findChildren<QMenu *>()) {
        if (each->title() == QStringLiteral("&Edit"))
            menu = each;
    }
    QVERIFY(menu);
    const auto shown = [&] {
        emit menu->aboutToShow();
        QStringList texts;
        for (const QAction *action : menu->actions()) {
            if (action->isVisible() && !action->isSeparator())
                texts << action->text().remove(QLatin1Char('&'));
        }
        emit menu->aboutToHide();
        return texts.join(QLatin1Char('|'));
    };
    QVERIFY2(
        shown().contains(QStringLiteral("Swap with...|Add or drop an event...|Pin the launch|Improve from here")) &&
            !shown().contains(QStringLiteral("Join stages")),
        qPrintable(shown()));
    for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
        if (result.schedule && !result.schedule->streams)
            window.document()->results()->setCurrent(result.id);
    }
    QTRY_VERIFY(!paneOf(window)->schedule()->streams);
    QVERIFY2(shown().contains(QStringLiteral("Join")) && !shown().contains(QStringLiteral("Swap with")),
             qPrintable(shown()));
}

void TestStreamsWindow::export_takesFormatsOfStreamsAlone()
{
    TestedWindow window(installedServices());
    openStreams(window, QStringLiteral("squeezenet"));
    RatedResult result = window.document()->results()->front();
    ExportRequest request{.model = window.document()->next()->model(), .results = {result}};
    ExportTools tools;
    tools.findDevice = installedServices().findDevice;
    tools.draw = [](const ExportRequest &) -> Result<DrawnFile> { return DrawnFile{"a picture", {}}; };
    int written = 0;
    for (const ExportFormat &format : exportFormats()) {
        request.format = &format;
        request.view = format.views.front();
        const QString path =
            m_folder.filePath(QStringLiteral("out-%1").arg(QString::fromStdString(std::string(format.name))));
        const auto done = exportResults(request, path.toStdString(), tools, {});
        QCOMPARE(done.has_value(), format.takesStreams(request.view));
        QCOMPARE(QFileInfo::exists(path), format.takesStreams(request.view));
        written += done.has_value();
        QVERIFY(done ||
                QString::fromStdString(done.error().message).contains(QStringLiteral("takes a schedule with stages")));
    }
    QVERIFY(written >= 7);
}

void TestStreamsWindow::session_keepsStreamsAndTheStrategy()
{
    const QString path = m_folder.filePath(QStringLiteral("streams.stagecraft"));
    std::optional<Streams> streams;
    {
        TestedWindow window(installedServices());
        openStreams(window, QStringLiteral("squeezenet"));
        streams = paneOf(window)->schedule()->streams;
        window.findChild<SearchPanel *>()->setOther(QStringLiteral("opara"));
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.show();
    window.openSession(path);
    QTRY_VERIFY(paneOf(window)->schedule());
    QTRY_VERIFY(isIdle(window));
    QVERIFY(paneOf(window)->schedule()->streams == streams);
    QVERIFY(paneOf(window)->streams()->isVisible());
    QCOMPARE(window.findChild<SearchPanel *>()->other(), QStringLiteral("opara"));
}

STAGECRAFT_SUITE(TestStreamsWindow)

} // namespace tst_streams_window
#include "tst_streams_window.moc"
