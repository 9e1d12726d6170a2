// Sessions in the window, by mouse and keyboard: saving, opening, questions, restoring after a kill, continuing,
// several windows, and moved or changed models.
// Past 500 lines: every case is a window, a session file and what is left of both.

#include "app/desktop/gated_device.h"
#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/areas/studies/pruning_studies.h"
#include "desktop/frame/message_bar.h"
#include "desktop/kept/autosave_file.h"
#include "desktop/kept/recent_files.h"
#include "desktop/windows.h"
#include "results/files/session_json.h"
#include "support/places.h"
#include "support/sha256.h"
#include "support/suite.h"
#include "widgets/graph/overlay/empty_state.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/study/pruning_plot.h"
#include "widgets/study/pruning_view.h"
#include "widgets/study/specialization_view.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QTimer>
#include <QToolButton>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_session_window {

namespace {

QString namesOf(const MainWindow &window)
{
    QStringList names;
    for (const ShelfRowGroup &group : window.findChild<ShelfView *>()->rows()) {
        for (const ShelfRow &row : group.rows)
            names << row.name;
    }
    return names.join(QStringLiteral(", "));
}

void searchAndWait(MainWindow &window)
{
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY(window.isSettled());
}

// Presses a button in the next question; returns its text.
std::shared_ptr<QString> answerQuestion(QMessageBox::StandardButton button)
{
    auto asked = std::make_shared<QString>();
    auto *timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, button, asked] {
        auto *box = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        if (!box)
            return;
        timer->deleteLater();
        *asked = box->text();
        QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
    timer->start(5);
    return asked;
}

QAction *entry(const MainWindow &window, const QKeySequence &keys)
{
    for (QAction *action : window.findChildren<QAction *>()) {
        if (action->shortcut() == keys)
            return action;
    }
    return nullptr;
}

QToolButton *entryOnEmptyPage(const MainWindow &window, const QString &startsWith)
{
    for (QToolButton *button : window.findChild<EmptyState *>()->findChildren<QToolButton *>()) {
        if (button->accessibleName().startsWith(startsWith))
            return button;
    }
    return nullptr;
}

void waitUntilShown(MainWindow &window)
{
    const auto isShown = [&] { return !window.document()->results()->shelf().results().empty() && window.isSettled(); };
    QTRY_VERIFY2_WITH_TIMEOUT(isShown(), qPrintable(window.messages()->text()), 30000);
}

// Triggers the action by its keys even if a dialog was active.
void choose(const MainWindow &window, const char *keys)
{
    QAction *action = entry(window, QKeySequence(QString::fromLatin1(keys)));
    QVERIFY2(action && action->isEnabled(), keys);
    action->trigger();
}

} // namespace

class TestSessionWindow : public WindowTest {
    Q_OBJECT

public:
    TestSessionWindow() { QGuiApplication::setQuitOnLastWindowClosed(false); } // tests continue

private slots:
    void save_byKey_andOpened_isTheSame();
    void open_withSomethingOpen_isAnotherWindow();
    void open_droppedOnTheWindow_isShown();
    void open_studies_haveTheirRangesAndPoints();
    void open_damagedFile_saysWhereAndChangesNothing();
    void close_unsavedChanges_asksOnce();
    void close_cancelled_staysOpen();
    void close_savedSession_asksNothing();
    void title_modified_hasAMark();
    void killed_restored_saysSo();
    void killed_editNotMeasured_isMeasuredOnReturn();
    void killed_pinnedStages_areStillPinned();
    void killed_whileItWasRestored_isOfferedOnly();
    void closed_untitled_isOfferedAndContinued();
    void closed_baselinesOnly_isNotOffered();
    void kept_damaged_isSetAside();
    void newWindow_byKey_isOfItsOwn();
    void window_otherModel_keepsTheShelf();
    void model_moved_isFoundByButton();
    void model_changed_keepsResultsReadable();
    void model_besideTheSession_isFoundAlone();
    void emptyPage_hasRecentFiles();
    void emptyPage_resized_isPaintedOnce();
    void actions_allHaveKeysInTheFileMenu();

private:
    void cleanFolder();
    QString modelFile(const QString &name);
    std::filesystem::path keptFolder() const { return m_folder.filePath(QStringLiteral("kept")).toStdString(); }
};

void TestSessionWindow::cleanFolder()
{
    QDir(m_folder.filePath(QStringLiteral("kept"))).removeRecursively();
}

// Writes a model to its own file.
QString TestSessionWindow::modelFile(const QString &name)
{
    const QString path = m_folder.filePath(name);
    QFile::remove(path);
    if (!QFile::copy(sourcePath("tests/data/onnx/residual.onnx"), path))
        qFatal("a test could not copy its model");
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    return path;
}

void TestSessionWindow::save_byKey_andOpened_isTheSame()
{
    const QString path = m_folder.filePath(QStringLiteral("mine.stagecraft"));
    QString names;
    QString summary;
    {
        TestedWindow window(installedServices());
        window.resize(1400, 900);
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        searchAndWait(window);
        const ResultId both = window.document()->results()->current();
        window.document()->results()->rename(both, QStringLiteral("best so far"));
        window.document()->results()->annotate(both, QStringLiteral("quick ± \"quoted\""));
        window.document()->results()->chooseBaseline(window.document()->results()->newest(ScheduleKind::Greedy));
        QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier);
        emit window.searchPanel()->deviceChanged(QStringLiteral("sim:k80"));
        QTRY_VERIFY(window.isSettled());
        answerFileDialog(path);
        QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
        QVERIFY(QFile::exists(path));
        QVERIFY(!window.isWindowModified());
        names = namesOf(window);
        summary = window.schedulePane()->summaryText();
        QCOMPARE(names, QStringLiteral("Sequential, Greedy, best so far, Sequential, Greedy"));
    }
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    QSignalSpy measured(window.queue(), &ResultQueue::measuringStarted);
    window.openPath(path);
    waitUntilShown(window);
    QCOMPARE(namesOf(window), names);
    QCOMPARE(window.schedulePane()->summaryText(), summary);
    QCOMPARE(measured.count(), 0); // nothing is measured again
    QCOMPARE(window.document()->next()->device().id, std::string("sim:k80"));
    QCOMPARE(window.panes()->count(), std::size_t{2});
    const Shelf &shelf = window.document()->results()->shelf();
    const ScheduleResult &both = shelf.results()[2];
    QCOMPARE(both.note, std::string("quick ± \"quoted\""));
    QVERIFY(!both.blocks.empty() && !both.measurements.empty());
    QVERIFY(shelf.baseline(both.settings) == shelf.results()[1].id);
    QVERIFY(window.windowTitle().startsWith(QStringLiteral("mine[*] - sample")));
    QVERIFY2(window.messages()->text().isEmpty(), qPrintable(window.messages()->text()));
    QVERIFY(window.schedulePane()->view()->schedule());
}

void TestSessionWindow::open_withSomethingOpen_isAnotherWindow()
{
    cleanFolder();
    const QString path = m_folder.filePath(QStringLiteral("other.stagecraft"));
    Windows windows(installedServices(), keptFolder());
    MainWindow &first = *windows.open();
    first.show();
    openAndWait(first, QStringLiteral("sample"));
    answerFileDialog(path);
    QTest::keyClick(&first, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    openAndWait(first, QStringLiteral("squeezenet"));
    const QString names = namesOf(first);
    first.openPath(path);
    QCOMPARE(windows.all().size(), std::size_t{2});
    MainWindow &second = *windows.all().back();
    waitUntilShown(second);
    QVERIFY(second.isVisible());
    QCOMPARE(namesOf(second), QStringLiteral("Sequential, Greedy"));
    QCOMPARE(namesOf(first), names); // each has its own
    second.document()->results()->rename(second.document()->results()->current(), QStringLiteral("changed there"));
    QCOMPARE(namesOf(first), names);
}

void TestSessionWindow::open_droppedOnTheWindow_isShown()
{
    const QString path = m_folder.filePath(QStringLiteral("dropped.stagecraft"));
    {
        TestedWindow window(installedServices());
        openAndWait(window, QStringLiteral("sample"));
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.show();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    waitUntilShown(window);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy"));
}

void TestSessionWindow::open_studies_haveTheirRangesAndPoints()
{
    const QString path = m_folder.filePath(QStringLiteral("studies.stagecraft"));
    const PruningGrid grid{{StrategySet::Both, StrategySet::Merge}, {1, 2, 3, 9}, {4}, {true}};
    std::vector<PlottedPoint> points;
    QString summary;
    {
        TestedWindow window(installedServices());
        openAndWait(window, QStringLiteral("sample"));
        window.pruning()->setGrid(grid);
        window.specialization()->setBatches({2, 4});
        window.specialization()->setDevices({"sim:k80", "sim:v100"});
        window.pruningStudies()->start();
        QTRY_VERIFY(window.isSettled());
        points = window.pruning()->plot()->points();
        QCOMPARE(points.size(), std::size_t{8});
        summary = window.pruning()->plainSummary();
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.show();
    window.openSession(path);
    waitUntilShown(window);
    QVERIFY(*window.pruning()->grid() == grid);
    QVERIFY(*window.specialization()->batches() == (std::vector<std::int64_t>{2, 4}));
    auto devices = window.specialization()->devices();
    std::ranges::sort(devices);
    QVERIFY(devices == (std::vector<std::string>{"sim:k80", "sim:v100"}));
    const auto &restored = window.pruning()->plot()->points();
    QCOMPARE(restored.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        QVERIFY(restored[i].point == points[i].point && restored[i].costs == points[i].costs);
        QVERIFY(restored[i].schedule->stages == points[i].schedule->stages);
    }
    QCOMPARE(window.pruning()->plainSummary(), summary);
}

void TestSessionWindow::open_damagedFile_saysWhereAndChangesNothing()
{
    const QString path =
        write(QStringLiteral("bad.stagecraft"),
              R"({"format": "stagecraft-session", "version": 1, "models": [], "results": [{"model": 0}]})");
    TestedWindow window(installedServices());
    window.show();
    window.openPath(path);
    QTRY_VERIFY(!window.messages()->text().isEmpty());
    QCOMPARE(window.messages()->text(),
             path + QStringLiteral(": results 1: result: \"model\" is 0, and there are 0 models."));
    QVERIFY(window.isEmpty());
}

void TestSessionWindow::close_unsavedChanges_asksOnce()
{
    const QString path = m_folder.filePath(QStringLiteral("ask.stagecraft"));
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    answerFileDialog(path);
    QVERIFY(window.saveSession());
    window.document()->results()->annotate(window.document()->results()->current(), QStringLiteral("later"));
    const auto asked = answerQuestion(QMessageBox::Save);
    QVERIFY(window.close());
    QCOMPARE(*asked, QStringLiteral("Save the changes to ask.stagecraft?"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("\"note\":\"later\""));
}

void TestSessionWindow::close_cancelled_staysOpen()
{
    const QString path = m_folder.filePath(QStringLiteral("cancel.stagecraft"));
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    answerFileDialog(path);
    QVERIFY(window.saveSession());
    window.document()->results()->annotate(window.document()->results()->current(), QStringLiteral("later"));
    static_cast<void>(answerQuestion(QMessageBox::Cancel));
    QVERIFY(!window.close());
    QVERIFY(window.isVisible());
    const auto asked = answerQuestion(QMessageBox::Discard);
    QVERIFY(window.close());
    QVERIFY(!asked->isEmpty());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!file.readAll().contains("later"));
}

void TestSessionWindow::close_savedSession_asksNothing()
{
    cleanFolder();
    const QString path = m_folder.filePath(QStringLiteral("saved.stagecraft"));
    Windows windows(installedServices(), keptFolder());
    MainWindow &window = *windows.open();
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.document()->results()->annotate(window.document()->results()->current(), QStringLiteral("kept"));
    answerFileDialog(path);
    QVERIFY(window.session()->save());
    window.document()->results()->setCurrent(
        window.document()->results()->newest(ScheduleKind::Sequential)); // does not change what is saved
    QVERIFY(window.close());                                             // a question would block
    QVERIFY(keptSessions(keptFolder()).empty());
}

void TestSessionWindow::title_modified_hasAMark()
{
    cleanFolder();
    const QString path = m_folder.filePath(QStringLiteral("marked.stagecraft"));
    Windows windows(installedServices(), keptFolder());
    MainWindow &window = *windows.open();
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    answerFileDialog(path);
    QVERIFY(window.session()->save());
    QTRY_VERIFY(window.session()->isKept());
    QVERIFY(!window.isWindowModified());
    window.document()->results()->annotate(window.document()->results()->current(), QStringLiteral("more"));
    QTRY_VERIFY(window.isWindowModified());
    choose(window, "Ctrl+S"); // to the same file, without a question
    QVERIFY(!window.isWindowModified());
}

void TestSessionWindow::killed_restored_saysSo()
{
    cleanFolder();
    {
        Windows windows(installedServices(), keptFolder());
        MainWindow &window = *windows.open();
        openAndWait(window, QStringLiteral("sample"));
        window.document()->results()->rename(window.document()->results()->current(), QStringLiteral("mine"));
        QTRY_VERIFY(window.session()->isKept());
    } // without being closed
    Windows windows(installedServices(), keptFolder());
    QCOMPARE(windows.restoreInterrupted(), std::size_t{1});
    MainWindow &window = *windows.all().front();
    waitUntilShown(window);
    QVERIFY(window.isVisible());
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, mine"));
    QVERIFY2(window.messages()->text().startsWith(
                 QStringLiteral("Stagecraft ended unexpectedly. The window is restored as of ")),
             qPrintable(window.messages()->text()));
    QVERIFY(Windows(installedServices(), keptFolder()).restoreInterrupted() == 0); // that window holds the file
    window.document()->results()->annotate(window.document()->results()->current(), QStringLiteral("goes on"));
    QTRY_VERIFY(window.session()->isKept());
}

void TestSessionWindow::killed_editNotMeasured_isMeasuredOnReturn()
{
    cleanFolder();
    {
        Windows windows(test::gatedEngine(std::make_shared<test::Gate>()), keptFolder()); // measures no single stage
        MainWindow &window = *windows.open();
        openAndWait(window, QStringLiteral("sample"));
        const ResultId sequential = window.document()->results()->fitting().front();
        QVERIFY(window.document()->editor()->edit(sequential, JoinStages{{0, 1}}));
        QTRY_VERIFY(window.session()->isKept());
        QVERIFY(!window.document()->results()->front().schedule->latencyUs());
    }
    Windows windows(installedServices(), keptFolder());
    QCOMPARE(windows.restoreInterrupted(), std::size_t{1});
    MainWindow &window = *windows.all().front();
    waitUntilShown(window);
    const ScheduleResult &edited = *window.document()->results()->shelf().find(window.document()->results()->current());
    QVERIFY(edited.origin == Origin::Edited);
    QVERIFY(edited.state == ResultState::Done);
    QVERIFY(edited.schedule->latencyUs() && edited.schedule->hasStageLatencies());
    for (const StageMark &mark : window.findChild<PaneRow *>()->focusedPane()->view()->marks())
        QVERIFY(mark.isMeasured);
}

void TestSessionWindow::killed_pinnedStages_areStillPinned()
{
    cleanFolder();
    {
        Windows windows(installedServices(), keptFolder());
        MainWindow &window = *windows.open();
        openAndWait(window, QStringLiteral("sample"));
        window.document()->editor()->pinStages(window.document()->results()->current(), {1}, true);
        QTRY_VERIFY(window.session()->isKept());
    }
    Windows windows(installedServices(), keptFolder());
    QCOMPARE(windows.restoreInterrupted(), std::size_t{1});
    MainWindow &window = *windows.all().front();
    waitUntilShown(window);
    const StageMarks &marks = window.findChild<PaneRow *>()->focusedPane()->view()->marks();
    QVERIFY(marks.size() > 2 && marks[1].isPinned && !marks[0].isPinned);
    QCOMPARE(window.document()->editor()->pinnedStages(window.document()->results()->current()).size(), std::size_t{1});
}

// What ends the program when it is restored must not end it at every start.
void TestSessionWindow::killed_whileItWasRestored_isOfferedOnly()
{
    cleanFolder();
    {
        Windows windows(installedServices(), keptFolder());
        MainWindow &window = *windows.open();
        openAndWait(window, QStringLiteral("sample"));
        window.document()->results()->rename(window.document()->results()->current(), QStringLiteral("mine"));
        QTRY_VERIFY(window.session()->isKept());
    }
    const std::vector<KeptSession> left = keptSessions(keptFolder());
    QCOMPARE(left.size(), std::size_t{1});
    QVERIFY(!left.front().endedTheProgram);
    AutosaveFile::take(left.front().path)->beginRestoring(); // and the program ends
    Windows windows(installedServices(), keptFolder());
    QCOMPARE(windows.restoreInterrupted(), std::size_t{0});
    MainWindow &window = *windows.open();
    window.show();
    window.resize(1600, 1000);
    QToolButton *offered = entryOnEmptyPage(window, QStringLiteral("sample, 2 results, "));
    QVERIFY(offered);
    offered->click();
    waitUntilShown(window);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, mine"));
    QTRY_VERIFY(QDir(m_folder.filePath(QStringLiteral("kept"))).entryList({"*.restoring"}, QDir::Files).isEmpty());
}

void TestSessionWindow::closed_untitled_isOfferedAndContinued()
{
    cleanFolder();
    {
        Windows windows(installedServices(), keptFolder());
        MainWindow &window = *windows.open();
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        searchAndWait(window);
        QVERIFY(window.close()); // without a question: the session is kept
    }
    Windows windows(installedServices(), keptFolder());
    QCOMPARE(windows.restoreInterrupted(), std::size_t{0}); // nothing was lost
    MainWindow &window = *windows.open();
    window.show();
    window.resize(1600, 1000);
    QToolButton *left = entryOnEmptyPage(window, QStringLiteral("sample, 3 results, "));
    QVERIFY(left);
    QTRY_VERIFY(left->isVisible()); // when the panels are in place
    left->click();
    waitUntilShown(window);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both"));
    QVERIFY(window.messages()->text().isEmpty());
    QVERIFY(keptSessions(keptFolder()).empty()); // the window holds the file
    const QStringList files = QDir(m_folder.filePath(QStringLiteral("kept"))).entryList(QDir::Files);
    QCOMPARE(files.filter(QStringLiteral(".lock")).size(), qsizetype(1));
}

void TestSessionWindow::closed_baselinesOnly_isNotOffered()
{
    cleanFolder();
    Windows windows(installedServices(), keptFolder());
    MainWindow &window = *windows.open();
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(window.close());
    QVERIFY(keptSessions(keptFolder()).empty());
}

void TestSessionWindow::kept_damaged_isSetAside()
{
    cleanFolder();
    QDir().mkpath(m_folder.filePath(QStringLiteral("kept")));
    const QString path =
        write(QStringLiteral("kept/x.stagecraft"),
              "{\"format\": \"stagecraft-session\", \"version\": 1,\n\"autosave\": {\"title\":\"a\"},\n");
    Windows windows(installedServices(), keptFolder());
    QCOMPARE(windows.restoreInterrupted(), std::size_t{1});
    MainWindow &window = *windows.all().front();
    QTRY_VERIFY(!window.messages()->text().isEmpty());
    QVERIFY2(window.messages()->text().startsWith(path + QStringLiteral(".damaged: what a window held before cannot be "
                                                                        "read: is not a session: error at byte")),
             qPrintable(window.messages()->text()));
    QVERIFY(QFile::exists(path + QStringLiteral(".damaged")));
}

void TestSessionWindow::newWindow_byKey_isOfItsOwn()
{
    cleanFolder();
    Windows windows(installedServices(), keptFolder());
    MainWindow &first = *windows.open();
    first.show();
    openAndWait(first, QStringLiteral("sample"));
    QTest::keyClick(&first, Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(windows.all().size(), std::size_t{2});
    MainWindow &second = *windows.all().back();
    QVERIFY(second.isVisible() && second.session()->isEmpty());
    openAndWait(second, QStringLiteral("squeezenet"));
    QCOMPARE(QString::fromStdString(first.document()->next()->model()->name), QStringLiteral("sample"));
    QVERIFY(second.close());
    QTRY_COMPARE(windows.all().size(), std::size_t{1});
    QCOMPARE(namesOf(first), QStringLiteral("Sequential, Greedy"));
}

void TestSessionWindow::window_otherModel_keepsTheShelf()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    searchAndWait(window);
    openAndWait(window, QStringLiteral("squeezenet"));
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both, Sequential, Greedy"));
    const QString path = m_folder.filePath(QStringLiteral("two.stagecraft"));
    answerFileDialog(path);
    QVERIFY(window.saveSession());
    TestedWindow again(installedServices());
    again.show();
    again.openPath(path);
    waitUntilShown(again);
    QCOMPARE(namesOf(again), namesOf(window));
    QCOMPARE(QString::fromStdString(again.document()->next()->model()->name), QStringLiteral("squeezenet"));
    again.document()->results()->setCurrent(again.document()->results()->shelf().results().front().id);
    QTRY_VERIFY(again.isSettled());
    QCOMPARE(QString::fromStdString(again.document()->next()->model()->name), QStringLiteral("sample"));
    QVERIFY(again.schedulePane()->view()->schedule());
}

void TestSessionWindow::model_moved_isFoundByButton()
{
    QDir().mkpath(m_folder.filePath(QStringLiteral("sub")));
    const QString model = modelFile(QStringLiteral("moves.onnx"));
    const QString path = m_folder.filePath(QStringLiteral("sub/moved.stagecraft"));
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, model);
        searchAndWait(window);
        answerFileDialog(path);
        QVERIFY(window.saveSession());
    }
    const QString moved = m_folder.filePath(QStringLiteral("elsewhere.onnx"));
    QFile::remove(moved);
    QVERIFY(QFile::rename(model, moved));
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    window.openPath(path);
    waitUntilShown(window);
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both"));
    QVERIFY2(window.messages()->text().startsWith(model + QStringLiteral(": is not there any more.")),
             qPrintable(window.messages()->text()));
    QVERIFY(!window.schedulePane()->view()->schedule()); // cannot be drawn
    const ResultId both = window.document()->results()->current();
    const double latencyUs = window.document()->results()->shelf().latency(both)->us;
    // A different model is refused.
    answerFileDialog(sourcePath("tests/data/onnx/dilated_groups.onnx"));
    QTest::mouseClick(window.messages()->actionButton(), Qt::LeftButton);
    QTRY_VERIFY(window.messages()->text().contains(QStringLiteral("is another model than moves")));
    QVERIFY(window.messages()->actionButton()->isVisible());
    answerFileDialog(moved);
    QTest::mouseClick(window.messages()->actionButton(), Qt::LeftButton);
    QTRY_VERIFY(window.document()->places().missing().empty() && window.isSettled());
    QVERIFY(window.messages()->text().isEmpty());
    QVERIFY(window.schedulePane()->view()->schedule());
    QCOMPARE(*window.document()->results()->front().schedule->latencyUs(), latencyUs);
    QVERIFY(!entry(window, QKeySequence(QStringLiteral("Ctrl+Alt+F")))->isEnabled());
    QVERIFY(window.saveSession()); // with the new place
    TestedWindow again(installedServices());
    again.show();
    again.openPath(path);
    waitUntilShown(again);
    QVERIFY(again.document()->places().missing().empty());
    QVERIFY(again.document()->next()->model());
}

void TestSessionWindow::model_changed_keepsResultsReadable()
{
    const QString model = modelFile(QStringLiteral("changes.onnx"));
    const QString path = m_folder.filePath(QStringLiteral("changed.stagecraft"));
    QString exported;
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, model);
        searchAndWait(window);
        answerFileDialog(path);
        QVERIFY(window.saveSession());
        exported = m_folder.filePath(QStringLiteral("before.schedule.json"));
        answerFileDialog(exported);
        choose(window, "Ctrl+Shift+E");
        QVERIFY(QFile::exists(exported));
    }
    QFile::remove(model);
    QVERIFY(QFile::copy(sourcePath("tests/data/onnx/dilated_groups.onnx"), model));
    TestedWindow window(installedServices());
    window.show();
    window.openPath(path);
    waitUntilShown(window);
    QVERIFY2(window.messages()->text().startsWith(model + QStringLiteral(": has changed since the session was saved.")),
             qPrintable(window.messages()->text()));
    QCOMPARE(namesOf(window), QStringLiteral("Sequential, Greedy, IOS-Both"));
    QVERIFY(!entry(window, QKeySequence(QStringLiteral("Ctrl+M")))->isEnabled()); // there is no device to measure it on
    const QString again = m_folder.filePath(QStringLiteral("after.schedule.json"));
    answerFileDialog(again);
    choose(window, "Ctrl+Shift+E");
    QFile before(exported);
    QFile after(again);
    QVERIFY(before.open(QIODevice::ReadOnly) && after.open(QIODevice::ReadOnly));
    QCOMPARE(after.readAll(), before.readAll());
}

void TestSessionWindow::model_besideTheSession_isFoundAlone()
{
    QDir().mkpath(m_folder.filePath(QStringLiteral("from")));
    QDir().mkpath(m_folder.filePath(QStringLiteral("to")));
    const QString model = modelFile(QStringLiteral("from/both.onnx"));
    const QString path = m_folder.filePath(QStringLiteral("from/both.stagecraft"));
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, model);
        answerFileDialog(path);
        QVERIFY(window.saveSession());
    }
    const QString there = m_folder.filePath(QStringLiteral("to/both.stagecraft"));
    QVERIFY(QFile::rename(model, m_folder.filePath(QStringLiteral("to/both.onnx"))) && QFile::rename(path, there));
    TestedWindow window(installedServices());
    window.show();
    window.openPath(there);
    waitUntilShown(window);
    QVERIFY(window.document()->places().missing().empty());
    QVERIFY2(window.messages()->text().isEmpty(), qPrintable(window.messages()->text()));
}

void TestSessionWindow::emptyPage_hasRecentFiles()
{
    addRecentFile(QStringLiteral("squeezenet"));
    addRecentFile(QStringLiteral("/somewhere/mine.stagecraft"));
    addRecentFile(QStringLiteral("sample"));
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    QToolButton *session = entryOnEmptyPage(window, QStringLiteral("mine.stagecraft, somewhere"));
    QVERIFY(session && session->isVisible());
    QToolButton *sample = entryOnEmptyPage(window, QStringLiteral("sample"));
    QTest::mouseClick(sample, Qt::LeftButton);
    waitUntilShown(window);
    QCOMPARE(QString::fromStdString(window.document()->next()->model()->name), QStringLiteral("sample"));
}

// What is on screen, painted piece by piece, is what one painting of it all gives.
void TestSessionWindow::emptyPage_resized_isPaintedOnce()
{
    EmptyState page(nullptr);
    page.setSamples({QStringLiteral("sample"), QStringLiteral("squeezenet")});
    page.resize(300, 260);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    const auto onScreen = [&] { return page.screen()->grabWindow(page.winId()).toImage(); };
    for (const QSize size : {QSize(700, 700), QSize(400, 500), QSize(760, 760)}) {
        page.resize(size);
        QTRY_COMPARE(onScreen().convertToFormat(QImage::Format_RGB32),
                     page.grab().toImage().convertToFormat(QImage::Format_RGB32));
    }
}

void TestSessionWindow::actions_allHaveKeysInTheFileMenu()
{
    const TestedWindow window(installedServices());
    QStringList texts;
    for (const QAction *action : window.menuBar()->actions().front()->menu()->actions()) {
        if (action->isSeparator() || action->menu())
            continue;
        texts << action->text().remove('&');
    }
    for (const QString &text :
         {QStringLiteral("New window"), QStringLiteral("Save session"), QStringLiteral("Save session as..."),
          QStringLiteral("Find missing model..."), QStringLiteral("Export schedule...")})
        QVERIFY2(texts.contains(text), qPrintable(texts.join(", ")));
    for (const char *keys : {"Ctrl+N", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+Alt+F", "Ctrl+Shift+E"}) {
        int count = 0;
        for (const QAction *action : window.findChildren<QAction *>())
            count += action->shortcut() == QKeySequence(QString::fromLatin1(keys)) ? 1 : 0;
        QVERIFY2(count == 1, keys);
    }
}

STAGECRAFT_SUITE(TestSessionWindow)

} // namespace tst_session_window
#include "tst_session_window.moc"
