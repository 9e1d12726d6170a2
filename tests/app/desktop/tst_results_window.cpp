// Results that are not searched: published schedules and stated latencies; also measuring a stage again and clearing
// stored latencies.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/dialogs/stated_dialog.h"
#include "measure/store/latency_store.h"
#include "measure/stored_session.h"
#include "schedule/edit/edit.h"
#include "support/suite.h"
#include "timing/simulator_version.h"
#include "widgets/base/selection.h"
#include "widgets/inspector/inspector.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "wiring/device_catalog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QToolButton>

using namespace stagecraft;

namespace tst_results_window {

namespace {

QAction *entryOf(const TestedWindow &window, const QString &keys)
{
    for (QAction *top : window.menuBar()->actions()) {
        for (QAction *action : top->menu()->actions()) {
            if (action->shortcut() == QKeySequence(keys))
                return action;
        }
    }
    return nullptr;
}

ShelfRow rowNamed(const TestedWindow &window, const QString &name)
{
    for (const ShelfRowGroup &group : window.shelf()->rows()) {
        for (const ShelfRow &row : group.rows) {
            if (row.name == name)
                return row;
        }
    }
    return {};
}

StatedDialog *statedDialog(TestedWindow &window)
{
    QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    return window.findChild<StatedDialog *>();
}

void press(const QDialog &dialog, QDialogButtonBox::StandardButton button)
{
    QTest::mouseClick(dialog.findChild<QDialogButtonBox *>()->button(button), Qt::LeftButton);
}

QLineEdit *latencyOf(const StatedDialog &dialog)
{
    for (QLineEdit *field : dialog.findChildren<QLineEdit *>()) {
        if (field->accessibleName() == QStringLiteral("Latency with its unit"))
            return field;
    }
    return nullptr;
}

// The simulated device, posing as one whose latencies are stored.
Services keepingServices(const QString &path)
{
    Services services = installedServices();
    services.latencyStore = path.toStdString();
    services.findDevice = [path](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device)
            return device;
        return storedDevice(std::move(*device), path.toStdString(), {});
    };
    return services;
}

} // namespace

class TestResultsWindow : public WindowTest {
    Q_OBJECT

private slots:
    void olderSimulator_isNotMixedWithNewNumbers();
    void published_ofInception_areRows();
    void published_otherModel_sayWhyNot();
    void today_typed_isTheBaseline();
    void today_withoutUnit_isRefusedInTheDialog();
    void today_fromAFile_isRead();
    void stage_measuredAgain_byMenuAndInspector();
    void forget_model_asksFirst();
    void forget_nothingKept_saysSo();
};

void TestResultsWindow::published_ofInception_areRows()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("inception_v3"));
    QTest::keyClick(&window, Qt::Key_H, Qt::ControlModifier | Qt::AltModifier);
    QTRY_VERIFY(window.isSettled());
    for (const char *name :
         {"IOS for V100, batch 1", "IOS for K80, batch 1", "IOS for V100, batch 32", "IOS for V100, batch 128"}) {
        const ShelfRow row = rowNamed(window, QLatin1String(name));
        QVERIFY2(!row.latency.isEmpty() && !row.speedup.isEmpty(), name);
        QVERIFY2(row.detail.startsWith(QStringLiteral("published for ")), qPrintable(row.detail));
    }
    const std::size_t results = window.document()->results()->shelf().results().size();
    QTest::keyClick(&window, Qt::Key_H, Qt::ControlModifier | Qt::AltModifier); // once more: nothing new
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->results()->shelf().results().size(), results);
}

void TestResultsWindow::published_otherModel_sayWhyNot()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const QAction *entry = entryOf(window, QStringLiteral("Ctrl+Alt+H"));
    QVERIFY(entry && !entry->isEnabled());
    QVERIFY2(entry->text().contains(QStringLiteral("inception_v3")), qPrintable(entry->text()));
}

void TestResultsWindow::today_typed_isTheBaseline()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const double greedyUs = *window.document()->results()->front().schedule->latencyUs();
    StatedDialog *dialog = statedDialog(window);
    QVERIFY(dialog);
    latencyOf(*dialog)->setText(QStringLiteral("%1 ms").arg(2 * greedyUs / 1000, 0, 'f', 6));
    press(*dialog, QDialogButtonBox::Ok);
    const ShelfRow row = rowNamed(window, QStringLiteral("What I run today"));
    QVERIFY(row.isBaseline);
    QVERIFY2(row.detail.contains(QStringLiteral("typed")), qPrintable(row.detail));
    QCOMPARE(rowNamed(window, QStringLiteral("Greedy")).speedup, QStringLiteral("2.00×"));
    QVERIFY2(window.schedulePane()->summaryText().contains(QStringLiteral("against What I run today 2.00×")),
             qPrintable(window.schedulePane()->summaryText()));
    // It has no schedule, and its pane says so.
    window.document()->results()->setCurrent(row.id);
    QVERIFY(window.schedulePane()->summaryText().contains(QStringLiteral("without a schedule")));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier); // the previous baseline
    QVERIFY(rowNamed(window, QStringLiteral("Sequential")).isBaseline);
}

void TestResultsWindow::today_withoutUnit_isRefusedInTheDialog()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    StatedDialog *dialog = statedDialog(window);
    for (const char *text : {"3.9", "fast", "-1 ms", "3 weeks", ""}) {
        latencyOf(*dialog)->setText(QLatin1String(text));
        press(*dialog, QDialogButtonBox::Ok);
        QVERIFY2(dialog->isVisible(), text);
        QVERIFY(!dialog->findChild<QLabel *>(QStringLiteral("trouble"))->text().isEmpty());
    }
    press(*dialog, QDialogButtonBox::Cancel);
    QVERIFY(rowNamed(window, QStringLiteral("What I run today")).name.isEmpty());
}

void TestResultsWindow::today_fromAFile_isRead()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    StatedDialog *dialog = statedDialog(window);
    dialog->readFile(write(QStringLiteral("other.json"), "{\"stages\": 3}"));
    QTRY_VERIFY(dialog->findChild<QLabel *>(QStringLiteral("trouble"))->text().contains(QStringLiteral("latency_us")));
    dialog->readFile(write(QStringLiteral("answer.json"), "{\"latency_us\": 1250.5, \"provenance\": \"measured\"}"));
    QTRY_VERIFY(!dialog->isReading());
    press(*dialog, QDialogButtonBox::Ok);
    const ShelfRow row = rowNamed(window, QStringLiteral("What I run today"));
    QVERIFY2(row.detail.contains(QStringLiteral("from answer.json")), qPrintable(row.detail));
    QCOMPARE(window.document()->results()->shelf().latency(row.id)->us, 1250.5);
}

void TestResultsWindow::stage_measuredAgain_byMenuAndInspector()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const QAction *entry = entryOf(window, QStringLiteral("Ctrl+Shift+M"));
    QVERIFY(!entry->isEnabled());
    QVERIFY(!window.inspector()->measureButton()->isVisible());
    const ScheduleView *view = window.schedulePane()->view();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->stageRect(1).topLeft() + QPoint(20, 8));
    QCOMPARE(*window.selection()->current().stage, std::size_t{1});
    QCOMPARE(entry->text().remove('&'), QStringLiteral("Measure stage 2 again"));
    const auto before =
        window.document()->results()->shelf().find(window.document()->results()->current())->measurements.size();
    QSignalSpy measured(window.queue(), &ResultQueue::measuringStarted);
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(window.statusBar()->currentMessage().startsWith(QStringLiteral("Measuring Stage 2 of ")));
    QTRY_COMPARE(measured.count(), 1);
    QTRY_VERIFY(window.isSettled());
    QTRY_VERIFY(window.inspector()->measureButton()->isVisible());
    QTest::mouseClick(window.inspector()->measureButton(), Qt::LeftButton);
    QTRY_COMPARE(measured.count(), 2);
    QTRY_VERIFY(window.isSettled());
    // The whole was not measured, so it has no new measurement.
    QCOMPARE(window.document()->results()->shelf().find(window.document()->results()->current())->measurements.size(),
             before);
}

void TestResultsWindow::forget_model_asksFirst()
{
    const QString path = m_folder.filePath(QStringLiteral("kept.sqlite"));
    TestedWindow window(keepingServices(path));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const auto kept = [&] {
        auto store = LatencyStore::open(path.toStdString());
        return store->count({{}, {}, 0, "sample"}).value();
    };
    const std::int64_t before = kept();
    QVERIFY(before > 0);
    for (const bool isForgotten : {false, true}) {
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier | Qt::AltModifier);
        QTRY_VERIFY(window.findChild<QMessageBox *>()); // once they are counted
        auto *box = window.findChild<QMessageBox *>();
        QVERIFY(box->text().contains(QString::number(before)));
        for (QAbstractButton *button : box->buttons()) {
            if ((box->buttonRole(button) == QMessageBox::DestructiveRole) == isForgotten)
                QTest::mouseClick(button, Qt::LeftButton);
        }
        QTRY_VERIFY(!window.findChild<QMessageBox *>());
        QTRY_COMPARE(kept(), isForgotten ? std::int64_t{0} : before);
    }
    QTRY_VERIFY(window.findChild<QStatusBar *>()->currentMessage().contains(QStringLiteral("forgotten")));
    QVERIFY(window.document()->results()->front().schedule->hasStageLatencies()); // results are unchanged
}

void TestResultsWindow::forget_nothingKept_saysSo()
{
    TestedWindow window(keepingServices(m_folder.filePath(QStringLiteral("none.sqlite"))));
    window.show();
    QVERIFY(!entryOf(window, QStringLiteral("Ctrl+Alt+M"))->isEnabled()); // no model
    QVERIFY(!entryOf(window, QStringLiteral("Ctrl+Alt+D"))->isEnabled()); // simulated: none are stored
}

void TestResultsWindow::olderSimulator_isNotMixedWithNewNumbers()
{
    const QString path = m_folder.filePath(QStringLiteral("older.stagecraft"));
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray session = file.readAll();
    file.close();
    const QByteArray now = QByteArray::fromStdString(simulatorVersion());
    QVERIFY(session.contains(now));
    write(QStringLiteral("older.stagecraft"), session.replace(now, "simulator 1"));
    TestedWindow window(installedServices());
    window.show();
    window.openSession(path);
    Results &results = *window.document()->results();
    QTRY_VERIFY(window.isSettled() && !results.shelf().results().empty());
    const auto &all = results.shelf().results();
    const auto older = std::ranges::find_if(
        all, [](const ScheduleResult &each) { return each.schedule && isOfOlderSimulator(each.settings); });
    QVERIFY(older != all.end());
    results.setCurrent(older->id);
    QTRY_VERIFY(window.isSettled() && results.front().schedule);
    const ScheduleResult *front = results.shelf().find(results.current());
    QVERIFY(isOfOlderSimulator(front->settings));
    const double before = *front->schedule->latencyUs();
    const std::size_t count = results.shelf().results().size();
    window.selection()->set({std::nullopt, 0});
    window.measureAgain(front->id);
    const auto edited = window.document()->editor()->edit(front->id, JoinStages{{0, 1}});
    QVERIFY(!edited && edited.error().code == ErrorCode::WrongUse);
    QCOMPARE(edited.error().message, std::string("an older simulator simulated it"));
    QCOMPARE(edited.error().remedy, std::string("Search again"));
    QTRY_VERIFY(window.isSettled());
    front = results.shelf().find(results.current());
    QVERIFY(isOfOlderSimulator(front->settings) && !front->isUnderWay() && !results.front().timeline);
    QCOMPARE(*front->schedule->latencyUs(), before);
    QCOMPARE(results.shelf().results().size(), count);
    for (const char *keys : {"Ctrl+M", "Ctrl+Shift+M"}) {
        const auto actions = window.findChildren<QAction *>();
        const auto action = std::ranges::find(actions, QKeySequence(QLatin1String(keys)), &QAction::shortcut);
        QVERIFY2(action != actions.end() && !(*action)->isEnabled(), keys);
    }
    const auto *hint = window.timeline()->findChild<QLabel *>(QStringLiteral("hint"));
    QTRY_VERIFY2(hint->text().contains(QStringLiteral("an older simulator simulated it. Search again.")),
                 qPrintable(hint->text()));
}

STAGECRAFT_SUITE(TestResultsWindow)

} // namespace tst_results_window
#include "tst_results_window.moc"
