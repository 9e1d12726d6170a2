// Choosing layouts as a person does: from the menu, with the row on the shelf, the page of an operator and the badges
// in the graph.

#include "app/desktop/gated_device.h"
#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "results/shelf_words.h"
#include "support/places.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/layout_section.h"
#include "widgets/search/search_panel.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_layout_choice_window {

namespace {

QAction *chooseAction(const TestedWindow &window)
{
    for (const QAction *top : window.menuBar()->actions()) {
        for (QAction *action : top->menu()->actions()) {
            if (action->text().remove('&').startsWith(QStringLiteral("Choose layouts")))
                return action;
        }
    }
    return nullptr;
}

} // namespace

class TestLayoutChoiceWindow : public WindowTest {
    Q_OBJECT

public:
    TestLayoutChoiceWindow()
    {
        qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toUtf8()); // a latency store of its own
    }

private slots:
    void choose_sequentialOnV100_isARowOnTheShelf();
    void choose_iosBoth_keepsItsStages();
    void choose_again_isTheSameRow();
    void choose_cpu_isMeasuredInRounds();
    void choose_otherDevice_saysWhyNot();
    void choose_resultInLayouts_saysWhyNot();
    void choose_noModel_saysWhyNot();
    void stop_whileChoosing_leavesNothing();
    void session_savedAndOpened_hasTheLayouts();
    void inspector_operatorNotAsFastest_saysWhy();
    void inspector_otherResult_hasTheLatencies();
    void graph_byLayout_hasBadgesWithCosts();
    void edit_ofAResultInLayouts_hasNone();

private:
    // Shown, with the baselines and the newest of them current.
    static void openOnV100(TestedWindow &window, const QString &spec)
    {
        window.resize(1600, 1000);
        window.show();
        QVERIFY(chooseAndWait(window, QStringLiteral("sim:v100")));
        openAndWait(window, spec);
        window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Sequential));
        QTRY_VERIFY(window.isSettled());
    }
    static const ScheduleResult *current(const TestedWindow &window)
    {
        return window.document()->results()->shelf().find(window.document()->results()->current());
    }
    // By its key; the answer is current then.
    static void choose(TestedWindow &window)
    {
        QVERIFY(chooseAction(window)->isEnabled());
        QSignalSpy finished(window.queue(), &ResultQueue::searchFinished);
        QTest::keyClick(&window, Qt::Key_Y, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty(), 120000);
        QTRY_VERIFY(window.isSettled());
    }
};

void TestLayoutChoiceWindow::choose_sequentialOnV100_isARowOnTheShelf()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    const ScheduleResult sequential = *current(window);
    const std::size_t before = window.document()->results()->shelf().results().size();
    choose(window);
    QCOMPARE(window.document()->results()->shelf().results().size(), before + 1);
    const ScheduleResult *result = current(window);
    QVERIFY(result->origin == Origin::Layouts && result->from == sequential.id);
    QCOMPARE(QString::fromStdString(result->title), QStringLiteral("Sequential with layouts"));
    QVERIFY(result->schedule->stages == sequential.schedule->stages);
    QVERIFY(!result->schedule->layouts.empty());
    QVERIFY(result->schedule->measured.provenance == Provenance::Assumed);
    const auto us = window.document()->results()->shelf().latency(result->id);
    QVERIFY(us && us->us < *sequential.schedule->latencyUs());
    const QString made = QString::fromStdString(madeByText(window.document()->results()->shelf(), *result));
    QVERIFY2(made.startsWith(QStringLiteral("layouts chosen: NCHW and NHWC, ")), qPrintable(made));
    QVERIFY2(made.endsWith(QStringLiteral("conversions")), qPrintable(made));
    QVERIFY2(window.searchPanel()->progressText().contains(QStringLiteral("assumed")),
             qPrintable(window.searchPanel()->progressText()));
    const QString summary = window.schedulePane()->summaryText();
    QVERIFY2(summary.contains(QStringLiteral("assumed")), qPrintable(summary));
    QVERIFY2(summary.contains(QStringLiteral("against Sequential")), qPrintable(summary));
}

void TestLayoutChoiceWindow::choose_iosBoth_keepsItsStages()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    window.startSearch();
    QTRY_VERIFY(window.isSettled());
    const SchedulePtr ios = current(window)->schedule;
    QCOMPARE(ios->search.strategy, std::string("ios-both"));
    choose(window);
    const ScheduleResult *result = current(window);
    QVERIFY(result->schedule->stages == ios->stages);
    QVERIFY(proofOf(*result) == Proof::None); // its stages were proved in other layouts
    QVERIFY(window.document()->results()->newest(ScheduleKind::IosBoth) != result->id);
}

void TestLayoutChoiceWindow::choose_again_isTheSameRow()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    const ResultId sequential = window.document()->results()->current();
    choose(window);
    const ResultId first = window.document()->results()->current();
    const std::size_t count = window.document()->results()->shelf().results().size();
    window.document()->results()->setCurrent(sequential);
    choose(window);
    QCOMPARE(window.document()->results()->shelf().results().size(), count);
    QVERIFY(window.document()->results()->current() == first);
}

void TestLayoutChoiceWindow::choose_cpu_isMeasuredInRounds()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    QVERIFY(chooseAndWait(window, QStringLiteral("cpu")));
    QSignalSpy profiled(window.findChild<LayoutsArea *>(), &LayoutsArea::progressed);
    openAndWait(window, sourcePath("tests/data/onnx/residual.onnx"));
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Greedy));
    QTRY_VERIFY(window.isSettled());
    const ResultId greedy = window.document()->results()->current();
    choose(window);
    QVERIFY(!profiled.isEmpty());
    const ScheduleResult *result = current(window);
    QVERIFY(result->origin == Origin::Layouts);
    QVERIFY(result->schedule->measured.provenance == Provenance::Measured);
    for (const ResultId other : {greedy, window.document()->results()->newest(ScheduleKind::Sequential)})
        QVERIFY(window.document()->results()->shelf().sharedRounds(result->id, other).has_value());
    QVERIFY2(window.searchPanel()->progressText().startsWith(QStringLiteral("Greedy with layouts of ")),
             qPrintable(window.searchPanel()->progressText())); // not the last round
    // What it took is in the store now: only what the device has no kernel for is asked for again.
    const auto first = profiled.size();
    profiled.clear();
    window.document()->results()->setCurrent(greedy);
    choose(window);
    QVERIFY(profiled.size() < first);
}

void TestLayoutChoiceWindow::choose_otherDevice_saysWhyNot()
{
    TestedWindow window(installedServices());
    window.show();
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:k80")));
    openAndWait(window, QStringLiteral("sample"));
    const QAction *action = chooseAction(window);
    QVERIFY(!action->isEnabled());
    QVERIFY2(action->text().contains(QStringLiteral("no published figures say what layouts take on sim:k80")),
             qPrintable(action->text()));
}

void TestLayoutChoiceWindow::choose_resultInLayouts_saysWhyNot()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    choose(window);
    const QAction *action = chooseAction(window);
    QVERIFY(!action->isEnabled());
    QVERIFY2(action->text().contains(QStringLiteral("the result shown states layouts")), qPrintable(action->text()));
}

void TestLayoutChoiceWindow::choose_noModel_saysWhyNot()
{
    TestedWindow window(installedServices());
    window.show();
    const QAction *action = chooseAction(window);
    QVERIFY(!action->isEnabled());
    QVERIFY2(action->text().contains(QStringLiteral("no result is shown")), qPrintable(action->text()));
    QVERIFY(action->toolTip().contains(QStringLiteral("Ctrl+Shift+Y")));
}

void TestLayoutChoiceWindow::stop_whileChoosing_leavesNothing()
{
    const auto gate = std::make_shared<test::Gate>();
    TestedWindow window(test::gatedEngine(gate));
    openOnV100(window, QStringLiteral("squeezenet"));
    const ResultId sequential = window.document()->results()->current();
    const std::size_t before = window.document()->results()->shelf().results().size();
    QTest::keyClick(&window, Qt::Key_Y, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(window.searchPanel()->isRunning());
    QTRY_VERIFY(std::ranges::any_of(window.document()->results()->shelf().results(), [](const ScheduleResult &result) {
        return result.origin == Origin::Layouts && result.state == ResultState::Running;
    }));
    QTest::keyClick(&window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->results()->shelf().results().size(), before);
    QVERIFY(window.document()->results()->current() == sequential);
    QVERIFY(window.statusBar()->currentMessage().contains(QStringLiteral("stopped before")));
}

void TestLayoutChoiceWindow::session_savedAndOpened_hasTheLayouts()
{
    const QString file = m_folder.filePath(QStringLiteral("layouts.stagecraft"));
    StatedLayouts layouts;
    std::string source;
    double us = 0;
    {
        TestedWindow window(installedServices());
        openOnV100(window, QStringLiteral("squeezenet"));
        choose(window);
        layouts = current(window)->schedule->layouts;
        source = current(window)->source;
        us = window.document()->results()->shelf().latency(window.document()->results()->current())->us;
        answerFileDialog(file);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.show();
    window.openSession(file);
    QTRY_VERIFY(!window.document()->results()->shelf().results().empty() && window.isSettled());
    const auto &results = window.document()->results()->shelf().results();
    const auto found = std::ranges::find(results, Origin::Layouts, &ScheduleResult::origin);
    QVERIFY(found != results.end());
    QVERIFY(found->schedule->layouts == layouts);
    QVERIFY(found->schedule->measured.provenance == Provenance::Assumed);
    QCOMPARE(found->source, source);
    const auto latency = window.document()->results()->shelf().latency(found->id);
    QCOMPARE(latency->us, us);
    QVERIFY(latency->provenance == Provenance::Assumed);
}

void TestLayoutChoiceWindow::inspector_operatorNotAsFastest_saysWhy()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("shufflenet_v2"));
    QSignalSpy answers(window.layoutChoices(), &LayoutChoices::changed);
    choose(window);
    const auto choice = answers.back()[1].value<LayoutFacts>().choice;
    const Graph &graph = *window.document()->next()->model()->graph;
    std::optional<OperatorId> slow;
    for (std::size_t i = 0; i < graph.size() && !slow; ++i) {
        if (!runsFastest(*choice, OperatorId::fromIndex(i)))
            slow = OperatorId::fromIndex(i);
    }
    QVERIFY(slow.has_value());
    window.selection()->set({*slow, std::nullopt});
    const auto text = [&] { return window.inspector()->plainText(); };
    QTRY_VERIFY2(text().contains(QStringLiteral("with it the whole takes")), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("Layouts it reads → writes, alone (assumed)")), qPrintable(text()));
    QVERIFY(text().contains(QStringLiteral("fastest alone")));
    QVERIFY(text().contains(QStringLiteral("chosen")));
    const auto reason = whyNotFastest(*choice, *slow, {});
    QVERIFY(reason && text().contains(reasonText(*choice, *slow, *reason)));
}

void TestLayoutChoiceWindow::inspector_otherResult_hasTheLatencies()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    const ResultId sequential = window.document()->results()->current();
    const OperatorId first = OperatorId::fromIndex(0);
    window.selection()->set({first, std::nullopt});
    QVERIFY(!window.inspector()->plainText().contains(QStringLiteral("fastest alone")));
    choose(window);
    window.document()->results()->setCurrent(sequential);
    window.selection()->set({first, std::nullopt});
    const QString text = window.inspector()->plainText();
    QVERIFY2(text.contains(QStringLiteral("fastest alone")), qPrintable(text));
    QVERIFY2(!text.contains(QStringLiteral("chosen")), qPrintable(text));
}

void TestLayoutChoiceWindow::graph_byLayout_hasBadgesWithCosts()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    auto *graph = window.findChild<GraphView *>();
    QTest::keyClick(&window, Qt::Key_Y, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(graph->colouring() == Colouring::Layout);
    choose(window);
    QTRY_VERIFY(!graph->isMoving());
    const QStringList badges = graph->badges();
    QVERIFY(!badges.isEmpty());
    QVERIFY2(badges.front().contains(QStringLiteral(" µs")), qPrintable(badges.front()));
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Sequential));
    QVERIFY(graph->badges().isEmpty());
}

void TestLayoutChoiceWindow::edit_ofAResultInLayouts_hasNone()
{
    TestedWindow window(installedServices());
    openOnV100(window, QStringLiteral("squeezenet"));
    choose(window);
    Document &document = *window.document();
    const auto edited = document.editor()->edit(document.results()->current(), JoinStages{{0, 1}});
    QVERIFY2(edited, edited ? "" : edited.error().message.c_str());
    QTRY_VERIFY(window.isSettled());
    QVERIFY(current(window)->schedule->layouts.empty());
    QVERIFY(window.document()->results()->shelf().latency(*edited)->provenance == Provenance::Simulated);
}

STAGECRAFT_SUITE(TestLayoutChoiceWindow)

} // namespace tst_layout_choice_window
#include "tst_layout_choice_window.moc"
