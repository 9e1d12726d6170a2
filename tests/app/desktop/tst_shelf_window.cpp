// The shelf in the window, by mouse and keyboard: results stay, are distinguishable, fit or not, are queued, and
// removal can be undone.
// Past 500 lines: one window with the same results on its shelf.

#include "app/desktop/gated_device.h"
#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "support/suite.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/inspector/inspector.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QAbstractItemView>
#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QTableView>

#include <atomic>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_shelf_window {

namespace {

std::vector<ShelfRow> rowsOf(const TestedWindow &window)
{
    std::vector<ShelfRow> rows;
    for (const ShelfRowGroup &group : window.shelf()->rows())
        rows.insert(rows.end(), group.rows.begin(), group.rows.end());
    return rows;
}

// "Sequential, Greedy, IOS-Both", in list order.
QString namesOf(const TestedWindow &window)
{
    QStringList names;
    for (const ShelfRow &row : rowsOf(window))
        names << row.name;
    return names.join(QStringLiteral(", "));
}

ShelfRow rowNamed(const TestedWindow &window, const QString &name)
{
    for (const ShelfRow &row : rowsOf(window)) {
        if (row.name == name)
            return row;
    }
    return {};
}

void clickRow(TestedWindow &window, ResultId id)
{
    QAbstractItemView *list = window.shelf()->list();
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, window.shelf()->rowRect(id).center());
}

void key(TestedWindow &window, int which, Qt::KeyboardModifiers modifiers = {})
{
    window.shelf()->list()->setFocus();
    QTest::keyClick(window.shelf()->list(), static_cast<Qt::Key>(which), modifiers);
}

void setR(TestedWindow &window, int r)
{
    SearchOptions options = window.searchPanel()->options();
    options.r = r;
    window.searchPanel()->setOptions(options);
}

void searchAndWait(TestedWindow &window)
{
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY(window.isSettled());
}

QPushButton *buttonNamed(const QWidget &widget, const QString &text)
{
    for (QPushButton *button : widget.findChildren<QPushButton *>()) {
        if (button->text() == text)
            return button;
    }
    return nullptr;
}

QAction *entry(const TestedWindow &window, const QKeySequence &keys)
{
    for (QAction *action : window.findChildren<QAction *>()) {
        if (action->shortcut() == keys)
            return action;
    }
    return nullptr;
}

QString comparisonText(const TestedWindow &window, int row, int column)
{
    return window.comparison()->findChild<QTableView *>()->model()->index(row, column).data().toString();
}

} // namespace

class TestShelfWindow : public WindowTest {
    Q_OBJECT

private slots:
    void search_otherR_isAnotherRow();
    void search_again_isNoOtherRow();
    void device_changed_greysRowsAndTheyComeBack();
    void batch_changed_greysRowsAndTheyComeBack();
    void rowOfOtherModel_clicked_isWhatSearchActsOn();
    void rowOfOtherDevice_clicked_isWhatSearchActsOn();
    void row_clicked_isShownEverywhere();
    void remove_byKey_isUndoneByKey();
    void remove_several_byMenu();
    void rename_byKey_isSeenEverywhere();
    void note_byKey_standsOnTheRow();
    void baseline_byKey_changesEverySpeedup();
    void pin_byKey_isAtTheTop();
    void search_underWay_isARowWithItsBest();
    void searches_inLine_runOneAfterTheOther();
    void search_inLine_isStoppedByKey();
    void search_deviceInUseElsewhere_saysForWhomAndIsStopped();
    void measurements_inLine_sayForWhomTheyWait();
    void measurement_inLine_isStoppedByKey();
    void measurement_otherModelOpened_goesOn();
    void searches_removed_leaveTheLine();
    void search_removedWhileItRuns_isStopped();
    void search_goesOn_whileAnotherDeviceIsChosen();
    void chip_pressed_measuresAgain();
    void measureAgain_onSimulated_changesNothing();
    void contextMenu_hasEveryAction();
    void actions_allHaveKeysInTheMenu();
    void latency_isTheSameEverywhere();
    void narrow_window_hasTheShelfInSight();
};

void TestShelfWindow::search_otherR_isAnotherRow()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    searchAndWait(window);
    setR(window, 1);
    searchAndWait(window);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both, IOS-Both"));
    const std::vector<ShelfRow> rows = rowsOf(window);
    QVERIFY2(rows[2].detail.startsWith(QStringLiteral("r 3, s 8 ≠ tool bar: r 1")), qPrintable(rows[2].detail));
    QVERIFY2(rows[3].detail.startsWith(QStringLiteral("r 1, s 8")), qPrintable(rows[3].detail));
    QVERIFY(rows[3].isShown && !rows[2].isShown);
    QVERIFY(rows[2].proof == Proof::Proved && rows[3].proof == Proof::Proved);
    // Both are in the comparison with what distinguishes them, each with its own latency.
    QCOMPARE(window.comparison()->rows().size(), std::size_t{4});
    QCOMPARE(comparisonText(window, 2, 0), QStringLiteral("IOS-Both, r 3, s 8"));
    QCOMPARE(comparisonText(window, 3, 0), QStringLiteral("IOS-Both, r 1, s 8"));
    QVERIFY(*window.comparison()->rows()[2].latencyUs < *window.comparison()->rows()[3].latencyUs);
}

void TestShelfWindow::search_again_isNoOtherRow()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    searchAndWait(window);
    const ResultId first = window.document()->results()->current();
    window.document()->results()->rename(first, QStringLiteral("mine"));
    searchAndWait(window);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, mine"));
    QVERIFY(window.document()->results()->current() == first);
}

void TestShelfWindow::device_changed_greysRowsAndTheyComeBack()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    searchAndWait(window);
    const ResultId both = window.document()->results()->current();
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:k80"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both, Sequential, Greedy"));
    for (const ShelfRow &row : rowsOf(window)) {
        const bool isOfV100 = row.id == both || row.id < both;
        QCOMPARE(row.reason, isOfV100 ? QStringLiteral("on sim:v100, not sim:k80") : QString());
    }
    QCOMPARE(window.comparison()->rows().size(), std::size_t{2}); // those that fit
    QVERIFY(window.document()->results()->front().schedule->context.device == "sim:k80");

    QSignalSpy measured(window.queue(), &ResultQueue::measuringStarted);
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:v100"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(measured.count(), 0); // nothing is measured again
    QVERIFY(rowsOf(window)[2].reason.isEmpty());
    QCOMPARE(window.comparison()->rows().size(), std::size_t{3});
}

void TestShelfWindow::batch_changed_greysRowsAndTheyComeBack()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ResultId before = window.document()->results()->current();
    const ModelPtr model = window.document()->next()->model();
    emit window.searchPanel()->batchChanged(16);
    QTRY_COMPARE(window.document()->next()->settings().batch, std::int64_t{16});
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(rowsOf(window).size(), std::size_t{4});
    QCOMPARE(rowsOf(window)[0].reason, QStringLiteral("batch 1, not 16"));
    emit window.searchPanel()->batchChanged(1);
    QTRY_COMPARE(window.document()->next()->settings().batch, std::int64_t{1});
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(rowsOf(window).size(), std::size_t{4});
    QVERIFY(rowsOf(window)[0].reason.isEmpty());
    QCOMPARE(rowsOf(window)[2].reason, QStringLiteral("batch 16, not 1"));
    QVERIFY(window.document()->results()->current() == before);
    QCOMPARE(window.document()->next()->model(), model);
}

void TestShelfWindow::rowOfOtherModel_clicked_isWhatSearchActsOn()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    const ResultId greedy = window.document()->results()->current();
    const std::size_t operators = window.document()->next()->model()->graph->size();
    openAndWait(window, QStringLiteral("sample"));
    QCOMPARE(rowsOf(window)[0].reason, QStringLiteral("another model"));
    clickRow(window, greedy);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.document()->results()->current() == greedy);
    QCOMPARE(window.document()->next()->model()->graph->size(), operators);
    QVERIFY2(window.inspector()->plainText().contains(QStringLiteral("squeezenet")),
             qPrintable(window.inspector()->plainText()));
    QVERIFY2(!window.schedulePane()->titleText().contains(QStringLiteral("another model")),
             qPrintable(window.schedulePane()->titleText()));
    QVERIFY(window.document()->results()->front().timeline);
    QVERIFY(window.windowTitle().contains(QStringLiteral("squeezenet")));
    QVERIFY2(window.searchPanel()->progressText().startsWith(QStringLiteral("squeezenet is not searched yet")),
             qPrintable(window.searchPanel()->progressText()));
    QCOMPARE(comparisonText(window, 1, 0), QStringLiteral("Greedy"));
    QCOMPARE(*window.comparison()->rows()[1].latencyUs, window.document()->results()->shelf().latency(greedy)->us);
    QCOMPARE(rowsOf(window).back().reason, QStringLiteral("another model"));
    searchAndWait(window);
    QCOMPARE(window.document()->results()->shelf().results().back().settings.model.name, std::string("squeezenet"));
    QVERIFY(window.document()->results()->current() == window.document()->results()->newest(ScheduleKind::IosBoth));
    QTest::keyClick(&window, Qt::Key_F5, Qt::ControlModifier); // the comparison
    QTRY_VERIFY(window.isSettled());
    for (const ResultId id : window.document()->results()->fitting())
        QCOMPARE(window.document()->results()->shelf().find(id)->settings.model.name, std::string("squeezenet"));
    QCOMPARE(window.comparison()->rows().size(), std::size_t{5});
}

void TestShelfWindow::rowOfOtherDevice_clicked_isWhatSearchActsOn()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ResultId greedy = window.document()->results()->current();
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:k80"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->next()->device().id, std::string("sim:k80"));
    clickRow(window, greedy);
    QCOMPARE(window.document()->next()->device().id, std::string("sim:v100"));
    QCOMPARE(window.searchPanel()->deviceId(), QStringLiteral("sim:v100"));
    searchAndWait(window);
    QCOMPARE(window.document()->results()->shelf().results().back().settings.device, std::string("sim:v100"));
    emit window.searchPanel()->batchChanged(4);
    QTRY_COMPARE(window.document()->next()->settings().batch, std::int64_t{4});
    clickRow(window, greedy);
    QCOMPARE(window.searchPanel()->batch(), std::int64_t{1});
}

void TestShelfWindow::row_clicked_isShownEverywhere()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ShelfRow sequential = rowNamed(window, QStringLiteral("Sequential"));
    clickRow(window, sequential.id);
    QVERIFY(window.schedulePane()->titleText().startsWith(QStringLiteral("Sequential")));
    QCOMPARE(window.schedulePane()->view()->schedule()->stages.size(),
             window.document()->next()->model()->graph->size());
    QVERIFY(rowNamed(window, QStringLiteral("Sequential")).isShown);
    QCOMPARE(window.comparison()->findChild<QTableView *>()->currentIndex().row(), 0);
    key(window, Qt::Key_Down);
    key(window, Qt::Key_Return);
    QVERIFY(window.schedulePane()->titleText().startsWith(QStringLiteral("Greedy")));
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QVERIFY(window.schedulePane()->titleText().startsWith(QStringLiteral("Sequential")));
}

void TestShelfWindow::remove_byKey_isUndoneByKey()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    searchAndWait(window);
    const ResultId both = window.document()->results()->current();
    const double latencyUs = *window.document()->results()->front().schedule->latencyUs();
    key(window, Qt::Key_Delete);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
    QCOMPARE(window.comparison()->rows().size(), std::size_t{2});
    QVERIFY(window.schedulePane()->titleText().startsWith(QStringLiteral("Greedy"))); // the previous one
    QAction *undo = entry(window, QKeySequence(QKeySequence::Undo));
    QCOMPARE(undo->text().remove('&'), QStringLiteral("Undo: Remove IOS-Both"));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both"));
    QVERIFY(!undo->isEnabled());
    clickRow(window, both);
    QCOMPARE(*window.document()->results()->front().schedule->latencyUs(), latencyUs);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
    // The key works on the shelf only if it has the focus.
    window.schedulePane()->view()->setFocus();
    QTest::keyClick(window.schedulePane()->view(), Qt::Key_Delete);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
}

void TestShelfWindow::remove_several_byMenu()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.shelf()->list()->setFocus();
    window.shelf()->list()->selectAll();
    QAction *remove = entry(window, QKeySequence(QKeySequence::Delete));
    QCOMPARE(remove->text().remove('&'), QStringLiteral("Remove 2 results"));
    remove->trigger();
    QVERIFY(namesOf(window).isEmpty());
    QVERIFY(!window.document()->results()->current().isValid());
    QVERIFY(!window.schedulePane()->view()->schedule());
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
    QVERIFY(window.schedulePane()->view()->schedule()); // something is shown again
}

void TestShelfWindow::rename_byKey_isSeenEverywhere()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    key(window, Qt::Key_F2);
    auto *editor = window.shelf()->list()->findChild<QLineEdit *>();
    QVERIFY(editor);
    QTest::keyClicks(editor, QStringLiteral("all at once"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(namesOf(window), QStringLiteral("Sequential, all at once"));
    QVERIFY(window.schedulePane()->titleText().startsWith(QStringLiteral("all at once")));
    QCOMPARE(comparisonText(window, 1, 0), QStringLiteral("all at once"));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
}

void TestShelfWindow::note_byKey_standsOnTheRow()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    key(window, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    auto *field = qobject_cast<QLineEdit *>(window.focusWidget());
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("fans were loud"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(rowNamed(window, QStringLiteral("Greedy")).note, QStringLiteral("fans were loud"));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(rowNamed(window, QStringLiteral("Greedy")).note.isEmpty());
}

void TestShelfWindow::baseline_byKey_changesEverySpeedup()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QVERIFY(rowNamed(window, QStringLiteral("Sequential")).isBaseline);
    QCOMPARE(comparisonText(window, 0, 0), QStringLiteral("Sequential (baseline)"));
    const double before = *window.comparison()->rows()[1].speedup;
    clickRow(window, rowNamed(window, QStringLiteral("Greedy")).id);
    key(window, Qt::Key_B, Qt::ControlModifier);
    QVERIFY(rowNamed(window, QStringLiteral("Greedy")).isBaseline);
    QCOMPARE(comparisonText(window, 1, 0), QStringLiteral("Greedy (baseline)"));
    QVERIFY(qFuzzyCompare(*window.comparison()->rows()[0].speedup, 1 / before));
    QCOMPARE(*window.comparison()->rows()[1].speedup, 1.0);
    clickRow(window, rowNamed(window, QStringLiteral("Sequential")).id);
    QVERIFY2(window.schedulePane()->summaryText().contains(QStringLiteral("against Greedy")),
             qPrintable(window.schedulePane()->summaryText()));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(rowNamed(window, QStringLiteral("Sequential")).isBaseline);
}

void TestShelfWindow::pin_byKey_isAtTheTop()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    key(window, Qt::Key_P, Qt::ControlModifier);
    QCOMPARE(namesOf(window), QStringLiteral("Greedy, Sequential"));
    QVERIFY(rowNamed(window, QStringLiteral("Greedy")).isPinned);
    key(window, Qt::Key_P, Qt::ControlModifier);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
}

void TestShelfWindow::search_underWay_isARowWithItsBest()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(rowNamed(window, QStringLiteral("IOS-Both")).detail, QStringLiteral("searching · r 3, s 8"));
    const auto best = [&] {
        gate->allow(20);
        return rowNamed(window, QStringLiteral("IOS-Both")).latency;
    };
    QTRY_VERIFY(best().startsWith(QStringLiteral("best ")));
    QVERIFY(!resultOf(window, ScheduleKind::IosBoth)); // no result yet
    QCOMPARE(window.comparison()->rows().back().note, QStringLiteral("being searched"));
    gate->open();
    QTRY_VERIFY(window.isSettled());
    const ShelfRow row = rowNamed(window, QStringLiteral("IOS-Both"));
    QVERIFY2(!row.latency.contains(QStringLiteral("best")), qPrintable(row.latency));
    QVERIFY(row.proof == Proof::Proved);
}

void TestShelfWindow::searches_inLine_runOneAfterTheOther()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTest::mouseClick(buttonNamed(*window.searchPanel(), QStringLiteral("Search")), Qt::LeftButton);
    QTRY_COMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8"));
    setR(window, 2);
    QPushButton *next = buttonNamed(*window.searchPanel(), QStringLiteral("Search next"));
    QVERIFY(next->isVisible());
    QTest::mouseClick(next, Qt::LeftButton);
    setR(window, 1);
    QTest::keyClick(&window, Qt::Key_F5);
    QCOMPARE(rowsOf(window)[2].detail, QStringLiteral("searching · r 3, s 8 ≠ tool bar: r 1"));
    static const QRegularExpression kSoFar(QStringLiteral(", \\d+ s so far"));
    QCOMPARE(rowsOf(window)[3].detail.remove(kSoFar), QStringLiteral("waits for IOS-Both · r 2, s 8 ≠ tool bar: r 1"));
    QCOMPARE(rowsOf(window)[4].detail.remove(kSoFar), QStringLiteral("waits for IOS-Both · r 1, s 8"));
    QTRY_VERIFY(rowsOf(window)[4].detail.contains(kSoFar)); // for how long
    QVERIFY(!window.isSettled());
    gate->open();
    QTRY_VERIFY(window.isSettled());
    for (const std::size_t i : {2, 3, 4}) {
        const ShelfRow row = rowsOf(window)[i];
        QVERIFY2(row.state == ResultState::Done && !row.latency.isEmpty(), qPrintable(row.detail));
    }
    const std::optional<int> r = window.document()->results()->shelf().results()[3].record().r;
    QVERIFY(r == 2); // each with the settings at the time of the request
    QVERIFY(!next->isVisible());
}

void TestShelfWindow::search_inLine_isStoppedByKey()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8"));
    setR(window, 2);
    QTest::keyClick(&window, Qt::Key_F5);
    clickRow(window, rowsOf(window)[3].id);
    QAction *stop = entry(window, QKeySequence(QStringLiteral("Ctrl+Shift+X")));
    QCOMPARE(stop->text().remove('&'), QStringLiteral("Take it out of the line"));
    QTest::keyClick(&window, Qt::Key_X, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(rowsOf(window).size(), std::size_t{3});
    QVERIFY(window.queue()->isSearching());
    clickRow(window, rowsOf(window)[2].id);
    QCOMPARE(stop->text().remove('&'), QStringLiteral("Stop it"));
    QTest::keyClick(&window, Qt::Key_X, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(!stop->isEnabled());
}

void TestShelfWindow::search_deviceInUseElsewhere_saysForWhomAndIsStopped()
{
    const auto gate = std::make_shared<Gate>();
    gate->setWait(DeviceWait{"sim:v100", "stagecraft-cli optimize nasnet (process 7)", false, 12});
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(rowsOf(window).back().detail,
                 QStringLiteral("waits for stagecraft-cli optimize nasnet (process 7), 12 s so far · r 3, s 8"));
    QCOMPARE(window.searchPanel()->progressText(),
             QStringLiteral("IOS-Both of sample: waiting for sim:v100, 10 s so far: stagecraft-cli optimize nasnet "
                            "(process 7) measures on it. Stop ends the wait and keeps what was measured."));
    gate->setWait(std::nullopt);
    gate->allow(1); // its turn: it measures
    QTRY_COMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8"));
    QTRY_VERIFY(!window.searchPanel()->progressText().contains(QStringLiteral("waiting")));
    QTest::keyClick(&window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(rowNamed(window, QStringLiteral("Sequential")).state == ResultState::Done);
}

void TestShelfWindow::measurements_inLine_sayForWhomTheyWait()
{
    const auto hold = std::make_shared<Gate>(); // of whole schedules
    TestedWindow window(gatedEngine(std::make_shared<Gate>(), [hold](ScheduleMeasurement &) { hold->pass({}); }));
    const auto released = qScopeGuard([hold] { hold->open(); });
    window.show();
    window.openModel(QStringLiteral("sample"));
    QTRY_COMPARE(rowsOf(window).size(), std::size_t{2});
    QTRY_VERIFY2(rowsOf(window)[0].detail.startsWith(QStringLiteral("being measured")),
                 qPrintable(rowsOf(window)[0].detail));
    QVERIFY2(rowsOf(window)[1].detail.startsWith(QStringLiteral("waits for Sequential")),
             qPrintable(rowsOf(window)[1].detail));
    hold->allow(1);
    QTRY_VERIFY2(rowsOf(window)[1].detail.startsWith(QStringLiteral("being measured")),
                 qPrintable(rowsOf(window)[1].detail));
    hold->open();
    QTRY_VERIFY(window.isSettled());
}

void TestShelfWindow::measurement_inLine_isStoppedByKey()
{
    const auto hold = std::make_shared<Gate>();
    hold->allow(2); // the baselines
    TestedWindow window(gatedEngine(std::make_shared<Gate>(), [hold](ScheduleMeasurement &) { hold->pass({}); }));
    const auto released = qScopeGuard([hold] { hold->open(); });
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ResultId sequential = rowsOf(window)[0].id;
    const ResultId greedy = rowsOf(window)[1].id;
    QSignalSpy again(window.queue(), &ResultQueue::measuringStarted);
    window.measureAgain(greedy);
    window.measureAgain(sequential);
    QTRY_VERIFY(rowsOf(window)[1].detail.startsWith(QStringLiteral("being measured again")));
    QVERIFY(rowsOf(window)[0].detail.startsWith(QStringLiteral("waits for Greedy")));
    clickRow(window, sequential);
    QTest::keyClick(&window, Qt::Key_X, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(rowsOf(window)[0].state == ResultState::Done && !rowsOf(window)[0].latency.isEmpty());
    hold->open();
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(again.count(), 1);
    QCOMPARE(window.document()->results()->shelf().find(sequential)->measurements.size(), std::size_t{1});
}

void TestShelfWindow::measurement_otherModelOpened_goesOn()
{
    const auto hold = std::make_shared<Gate>();
    hold->allow(2); // the baselines
    TestedWindow window(gatedEngine(std::make_shared<Gate>(), [hold](ScheduleMeasurement &) { hold->pass({}); }));
    const auto released = qScopeGuard([hold] { hold->open(); });
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ResultId greedy = rowsOf(window)[1].id;
    window.measureAgain(greedy);
    window.openModel(QStringLiteral("squeezenet"));
    QTRY_COMPARE(rowsOf(window).size(), std::size_t{4});
    hold->open();
    QTRY_VERIFY(window.isSettled());
    QVERIFY(rowsOf(window)[1].state == ResultState::Done);
    QVERIFY(!rowsOf(window)[3].latency.isEmpty());
}

void TestShelfWindow::searches_removed_leaveTheLine()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8"));
    setR(window, 2);
    QTest::keyClick(&window, Qt::Key_F5);
    QCOMPARE(rowsOf(window).size(), std::size_t{4});
    clickRow(window, rowsOf(window)[3].id);
    key(window, Qt::Key_Delete);
    QCOMPARE(rowsOf(window).size(), std::size_t{3});
    QCOMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8 ≠ tool bar: r 2"));
    gate->open();
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both"));
}

void TestShelfWindow::search_removedWhileItRuns_isStopped()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8"));
    setR(window, 2);
    QTest::keyClick(&window, Qt::Key_F5);
    clickRow(window, rowsOf(window)[2].id);
    key(window, Qt::Key_Delete);
    QCOMPARE(rowsOf(window).size(), std::size_t{3});
    gate->open(); // the next one continues
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both"));
    const QString detail = rowsOf(window).back().detail;
    QVERIFY2(detail.startsWith(QStringLiteral("r 2, s 8")), qPrintable(detail));
    QVERIFY(rowsOf(window).back().proof == Proof::Proved);
}

void TestShelfWindow::search_goesOn_whileAnotherDeviceIsChosen()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(rowsOf(window).back().detail, QStringLiteral("searching · r 3, s 8"));
    const ResultId searched = rowsOf(window).back().id;
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:k80"));
    QTRY_COMPARE(rowsOf(window).size(), std::size_t{5});
    QVERIFY(window.queue()->isSearching());
    gate->open();
    QTRY_VERIFY(window.isSettled());
    const ScheduleResult &result = *window.document()->results()->shelf().find(searched);
    QVERIFY(result.schedule);
    QCOMPARE(result.schedule->context.device, std::string("sim:v100"));
    QVERIFY(window.document()->results()->current() != searched); // nothing changes unasked
    QCOMPARE(window.document()->results()->front().schedule->context.device, std::string("sim:k80"));
}

void TestShelfWindow::chip_pressed_measuresAgain()
{
    const auto gate = std::make_shared<Gate>();
    const auto disturbs = std::make_shared<std::atomic<bool>>(true);
    TestedWindow window(gatedEngine(gate, [disturbs](ScheduleMeasurement &measurement) {
        const double us = measurement.whole.timing.latencyUs;
        const bool now = *disturbs;
        measurement.whole.timing = {us * (now ? 1.5 : 1), us * (now ? 1.5 : 1), us * (now ? 0.5 : 0.01), 20, {}};
    }));
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ShelfRow before = rowNamed(window, QStringLiteral("Greedy"));
    QVERIFY(before.isDisturbed);
    const double disturbedUs = *window.document()->results()->front().schedule->latencyUs();
    *disturbs = false;
    QTest::mouseClick(window.shelf()->list()->viewport(), Qt::LeftButton, {},
                      window.shelf()->chipRect(before.id).center());
    QTRY_VERIFY(window.isSettled() && !rowNamed(window, QStringLiteral("Greedy")).isDisturbed);
    QVERIFY(window.shelf()->chipRect(before.id).isEmpty());
    QVERIFY(rowNamed(window, QStringLiteral("Sequential")).isDisturbed); // it was not measured again
    const double us = *window.document()->results()->front().schedule->latencyUs();
    QVERIFY(qFuzzyCompare(us * 1.5, disturbedUs)); // the disturbed measurement no longer counts
    QVERIFY(!rowNamed(window, QStringLiteral("Greedy")).interval.isEmpty());
    QCOMPARE(window.document()->results()->shelf().find(before.id)->measurements.size(), std::size_t{2});
}

void TestShelfWindow::measureAgain_onSimulated_changesNothing()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ShelfRow before = rowNamed(window, QStringLiteral("Greedy"));
    QSignalSpy again(window.queue(), &ResultQueue::measuringStarted);
    key(window, Qt::Key_M, Qt::ControlModifier);
    QTRY_COMPARE(again.count(), 1);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(rowNamed(window, QStringLiteral("Greedy")) == before);
}

void TestShelfWindow::contextMenu_hasEveryAction()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QWidget *list = window.shelf()->list()->viewport();
    const QPoint at = window.shelf()->rowRect(rowNamed(window, QStringLiteral("Sequential")).id).center();
    QTest::mouseClick(list, Qt::RightButton, {}, at);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, list->mapToGlobal(at));
    QCoreApplication::sendEvent(list, &event);
    auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QStringList texts;
    for (const QAction *action : menu->actions()) {
        if (!action->isSeparator())
            texts << action->text().remove('&').section('\t', 0, 0);
    }
    QCOMPARE(texts.join(", "),
             QStringLiteral("Show, Open beside, Rename, Note..., Pin to the top, Set as baseline (it is), Measure "
                            "again, Stop it, Export schedule..., Remove, Filter the shelf"));
    for (QAction *action : menu->actions()) {
        if (action->text().remove('&') == QStringLiteral("Remove"))
            action->trigger(); // for the row under the pointer, not the shown one
    }
    menu->close();
    QCOMPARE(namesOf(window), QStringLiteral("Greedy"));
}

void TestShelfWindow::actions_allHaveKeysInTheMenu()
{
    const TestedWindow window(installedServices());
    for (const QString &title : {QStringLiteral("Edit"), QStringLiteral("Results")}) {
        const QList<QAction *> menus = window.menuBar()->actions();
        const auto found = std::find_if(menus.begin(), menus.end(),
                                        [&](const QAction *menu) { return menu->text().remove('&') == title; });
        QVERIFY2(found != menus.end(), qPrintable(title));
        for (const QAction *action : (*found)->menu()->actions())
            QVERIFY2(action->isSeparator() || !action->shortcut().isEmpty() || action->text().contains('\t'),
                     qPrintable(action->text()));
    }
}

void TestShelfWindow::latency_isTheSameEverywhere()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    searchAndWait(window);
    const QString shelf = rowNamed(window, QStringLiteral("IOS-Both")).latency;
    QVERIFY(!shelf.isEmpty());
    QVERIFY2(window.schedulePane()->summaryText().contains(shelf), qPrintable(window.schedulePane()->summaryText()));
    QVERIFY2(window.inspector()->plainText().contains(shelf), qPrintable(window.inspector()->plainText()));
    QTRY_VERIFY2(window.timeline()->plainSummary().contains(shelf), qPrintable(window.timeline()->plainSummary()));
    QCOMPARE(comparisonText(window, 2, 1), shelf);
}

void TestShelfWindow::narrow_window_hasTheShelfInSight()
{
    TestedWindow window(installedServices());
    window.resize(1040, 700);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QCOMPARE(window.size(), QSize(1040, 700));
    QVERIFY(window.shelf()->isVisible());
    QVERIFY2(window.schedulePane()->width() >= 400, qPrintable(QString::number(window.schedulePane()->width())));
    const QRect row = window.shelf()->rowRect(window.document()->results()->current());
    QVERIFY(window.shelf()->list()->viewport()->rect().contains(row));
}

STAGECRAFT_SUITE(TestShelfWindow)

} // namespace tst_shelf_window
#include "tst_shelf_window.moc"
