// The window in use: opening, refusals, shared selection, schedule files, messages. Searching has its own file.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "model/ios_json.h"
#include "results/files/schedule_json.h"
#include "search/stages/baselines.h"
#include "support/picture.h"
#include "support/places.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/blocks/blocks_model.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/inspector/inspector.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/timeline/timeline_view.h"
#include "wiring/device_catalog.h"

#include <QAction>
#include <QDir>
#include <QDragLeaveEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QStatusBar>
#include <QTableView>
#include <QTimer>

#include <algorithm>
#include <condition_variable>
#include <mutex>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_main_window {

class TestMainWindow : public WindowTest {
    Q_OBJECT

private slots:
    void open_sample_measuresBaselines();
    void open_refused_keepsTheDocument_data();
    void open_refused_keepsTheDocument();
    void open_stopped_keepsTheDocument();
    void drop_file_opensIt();
    void drop_files_opensAllOfThem();
    void drag_files_saysThatTheyMayBeDropped();
    void fileDialog_noFolderYet_startsInTheUsersOwn_data();
    void fileDialog_noFolderYet_startsInTheUsersOwn();
    void batch_change_reopensTheModel();
    void selection_anywhere_showsEverywhere();
    void selection_otherSchedule_followsTheOperator();
    void blocks_ofTheModel_areCountedForTheToolBar();
    void block_selected_isSeenEverywhere();
    void scheduleFile_roundTrip_isMeasuredHere();
    void openPaths_modelAndItsSchedule_inAnyOrder();
    void scheduleFile_ofTheIosProject_isMeasuredHere();
    void scheduleFile_otherModel_isRefused();
    void message_dismiss_hidesIt();
    void measure_refused_isSaidInEveryPanel();
    void search_failed_leavesTheBaselinesAlone();
    void search_leastWidth_isInSight();
    void status_deviceThatIsNotThere_isNotMeasured();
    void measure_storeInTrouble_isToldOnce_data();
    void measure_storeInTrouble_isToldOnce();
};

void TestMainWindow::open_sample_measuresBaselines()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const Document &document = *window.document();
    QCOMPARE(QString::fromStdString(document.next()->model()->name), QStringLiteral("sample"));
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy}) {
        const SchedulePtr schedule = scheduleOf(window, kind);
        QVERIFY(schedule && schedule->measured.whole && schedule->measured.provenance);
        QCOMPARE(schedule->measured.stages.size(), schedule->stages.size());
    }
    QVERIFY(document.results()->front().timeline);
    QVERIFY(window.windowTitle().contains(QStringLiteral("sample")));
    QTRY_VERIFY(window.timeline()->plainSummary().contains(QStringLiteral("simulated")));
    QVERIFY(window.schedulePane()->summaryText().contains(QStringLiteral("simulated")));
    QVERIFY(window.messages()->text().isEmpty());
}

void TestMainWindow::open_refused_keepsTheDocument_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("open_notOnnx_keepsTheDocument") << QStringLiteral("text.onnx") << QByteArray("this is not a model");
    QTest::newRow("open_empty_keepsTheDocument") << QStringLiteral("empty.onnx") << QByteArray();
    QTest::newRow("open_brokenJson_keepsTheDocument") << QStringLiteral("graph.json") << QByteArray("{\"name\":");
    QTest::newRow("open_missing_keepsTheDocument") << QString() << QByteArray();
}

void TestMainWindow::open_refused_keepsTheDocument()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ModelPtr model = window.document()->next()->model();
    const SchedulePtr schedule = window.document()->results()->front().schedule;
    QSignalSpy failed(window.open(), &OpenArea::failed);
    const QString path = name.isEmpty() ? m_folder.filePath(QStringLiteral("nowhere.onnx")) : write(name, content);
    window.openModel(path);
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(window.messages()->isVisible());
    QVERIFY2(window.messages()->text().contains(QFileInfo(path).fileName()), qPrintable(window.messages()->text()));
    QCOMPARE(window.document()->next()->model(), model);
    QCOMPARE(window.document()->results()->front().schedule, schedule);
}

void TestMainWindow::open_stopped_keepsTheDocument()
{
    Services services = installedServices();
    services.openModel = [](const OpenRequest &request) -> Result<OpenedModel> {
        if (request.spec == "sample")
            return openModel(request);
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait(lock, request.budget->stop(), [] { return false; });
        return fail(ErrorCode::Cancelled, "cancelled");
    };
    TestedWindow window(services);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ModelPtr model = window.document()->next()->model();
    const auto actions = window.findChildren<QAction *>();
    const auto stop = std::ranges::find(actions, QStringLiteral("S&top"), &QAction::text);
    QVERIFY(stop != actions.end() && !(*stop)->isEnabled());
    window.openModel(QStringLiteral("endless.onnx"));
    QVERIFY((*stop)->isEnabled());
    (*stop)->trigger();
    QTRY_VERIFY(!(*stop)->isEnabled());
    QCOMPARE(window.document()->next()->model(), model);
    QVERIFY(!window.messages()->isVisible());
}

void TestMainWindow::drop_file_opensIt()
{
    TestedWindow window(installedServices());
    window.show();
    QSignalSpy failed(window.open(), &OpenArea::failed);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(write(QStringLiteral("dropped.onnx"), "nothing"))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(window.messages()->text().contains(QStringLiteral("dropped.onnx")));
}

void TestMainWindow::drop_files_opensAllOfThem()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const QString schedule = m_folder.filePath(QStringLiteral("sample.schedule.json"));
    answerFileDialog(schedule);
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(QFile::exists(schedule));
    const QString folder = sourcePath("tests/data/onnx/");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(schedule), // of none of these models: refused by name, after the others
                  QUrl::fromLocalFile(folder + QStringLiteral("dilated_groups.onnx")),
                  QUrl::fromLocalFile(folder + QStringLiteral("auto_pad.onnx"))});
    QSignalSpy opened(&window, &MainWindow::opened);
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    QTRY_VERIFY(window.isSettled() && opened.count() == 2);
    QCOMPARE(window.document()->next()->model()->name, std::string("auto_pad"));
    QVERIFY2(window.messages()->text().contains(QStringLiteral("sample.schedule.json")),
             qPrintable(window.messages()->text()));
    // Two baselines of each model; the second of one that is left before it begins leaves the line.
    const std::size_t results = window.document()->results()->shelf().results().size();
    QVERIFY2(results == 5 || results == 6, qPrintable(QString::number(results)));
}

void TestMainWindow::drag_files_saysThatTheyMayBeDropped()
{
    TestedWindow window(installedServices());
    window.resize(1000, 700);
    window.show();
    const auto *hint = window.findChild<QLabel *>(QStringLiteral("dropHint"));
    QVERIFY(hint && !hint->isVisible());
    QMimeData data;
    data.setUrls(
        {QUrl::fromLocalFile(QStringLiteral("/a/one.onnx")), QUrl::fromLocalFile(QStringLiteral("/a/b.json"))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QVERIFY(hint->isVisible());
    QCOMPARE(hint->text(), QStringLiteral("Drop to open 2 files"));
    QCOMPARE(hint->geometry(), window.rect());
    QDragLeaveEvent leave;
    QCoreApplication::sendEvent(&window, &leave);
    QVERIFY(!hint->isVisible());
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/a/one.onnx"))});
    QDragEnterEvent again(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &again);
    QCOMPARE(hint->text(), QStringLiteral("Drop to open one.onnx"));
    data.setUrls({QUrl(QStringLiteral("https://example.org/one.onnx"))}); // no file
    QDragEnterEvent web(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    web.ignore();
    QCoreApplication::sendEvent(&window, &leave);
    QCoreApplication::sendEvent(&window, &web);
    QVERIFY(!web.isAccepted() && !hint->isVisible());
}

void TestMainWindow::fileDialog_noFolderYet_startsInTheUsersOwn_data()
{
    QTest::addColumn<QString>("keys");
    for (const char *keys : {"Ctrl+O", "Ctrl+Shift+O", "Ctrl+S", "Ctrl+D", "Ctrl+Shift+E", "Ctrl+Alt+P"})
        QTest::newRow(keys) << QString::fromLatin1(keys);
}

void TestMainWindow::fileDialog_noFolderYet_startsInTheUsersOwn()
{
    QFETCH(QString, keys);
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QString folder;
    QTimer timer;
    connect(&timer, &QTimer::timeout, this, [&] {
        if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
            folder = dialog->directory().absolutePath();
            dialog->reject();
        }
    });
    timer.start(5);
    for (QAction *action : window.findChildren<QAction *>()) {
        if (action->shortcut() == QKeySequence(keys))
            action->trigger();
    }
    QCOMPARE(folder, QDir::homePath());
}

void TestMainWindow::batch_change_reopensTheModel()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const double before = *window.document()->results()->front().schedule->latencyUs();
    emit window.searchPanel()->batchChanged(16);
    QTRY_COMPARE(window.document()->next()->model()->graph->batch(), std::int64_t{16});
    QTRY_VERIFY(window.isSettled() && window.document()->results()->front().schedule);
    QVERIFY(*window.document()->results()->front().schedule->latencyUs() > before);
    QCOMPARE(window.searchPanel()->batch(), std::int64_t{16});
}

void TestMainWindow::selection_anywhere_showsEverywhere()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    ScheduleView *view = window.schedulePane()->view();
    const Graph &graph = *window.document()->next()->model()->graph;
    const OperatorId op = window.document()->results()->front().schedule->stages[0].groups[0][0];
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->operatorRect(op).center());
    QVERIFY(window.selection()->current().op == op);
    QCOMPARE(*window.selection()->current().stage, std::size_t{0});
    // The other direction: a selection made elsewhere is drawn here.
    const QColor accent = themeFor(view->palette()).accent;
    const OperatorId last = OperatorId::fromIndex(graph.size() - 1);
    const auto isMarked = [&](OperatorId id) {
        return test::shows(test::about(view->viewport()->grab().toImage(), view->operatorRect(id)), accent);
    };
    QVERIFY(isMarked(op) && !isMarked(last));
    window.selection()->set({last, window.document()->results()->front().schedule->stages.size() - 1});
    QVERIFY(isMarked(last) && !isMarked(op));
}

void TestMainWindow::blocks_ofTheModel_areCountedForTheToolBar()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("inception_v3"));
    const QAbstractItemModel &rows = *window.blocks()->table()->model();
    QCOMPARE(rows.rowCount(), static_cast<int>(window.document()->next()->model()->blocks.size()));
    SearchOptions options;
    options.strategies = StrategySet::Parallel;
    const auto expect = [&] {
        for (int row = 0; row < rows.rowCount(); ++row) {
            const auto count =
                countSpace(*window.document()->next()->model()->graph,
                           window.document()->next()->model()->blocks[static_cast<std::size_t>(row)], options);
            QCOMPARE(rows.index(row, BlocksModel::Transitions).data(BlocksModel::kSortRole).toDouble(),
                     static_cast<double>(count->transitions));
            QCOMPARE(rows.index(row, BlocksModel::Schedules).data(BlocksModel::kSortRole).toDouble(), count->schedules);
        }
    };
    window.searchPanel()->setOptions(options);
    QTRY_VERIFY(window.isSettled());
    expect();
    options.r = 1;
    window.searchPanel()->setOptions(options);
    QTRY_VERIFY(window.isSettled());
    expect();
    options.r = 0; // allows no operator in a group
    window.searchPanel()->setOptions(options);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(rows.index(0, BlocksModel::States).data().toString().isEmpty());
}

void TestMainWindow::block_selected_isSeenEverywhere()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.startSearch();
    QTRY_VERIFY(window.isSettled());
    ScheduleView *view = window.schedulePane()->view();
    const QColor accent = themeFor(view->palette()).accent;
    QVERIFY(!test::shows(view->viewport()->grab().toImage(), accent));
    window.blocks()->table()->selectRow(2);
    QCOMPARE(window.selection()->current(), (Selected{{}, {}, 2}));
    QVERIFY(test::shows(view->viewport()->grab().toImage(), accent)); // next to the header of the block
    const QString text = window.inspector()->plainText();
    for (const char *part : {"Block 3 of", "Search space", "Measured stages", "Why not another stage?"})
        QVERIFY2(text.contains(part), qPrintable(text));
    window.document()->results()->setCurrent(
        window.document()->results()->newest(ScheduleKind::Greedy)); // the block stays selected
    QCOMPARE(window.selection()->current(), (Selected{{}, {}, 2}));
}

void TestMainWindow::selection_otherSchedule_followsTheOperator()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Sequential));
    const SchedulePtr sequential = window.document()->results()->front().schedule;
    const OperatorId last = sequential->stages.back().groups[0][0];
    window.selection()->set({last, sequential->stages.size() - 1});
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Greedy));
    QVERIFY(window.selection()->current().op == last);
    QCOMPARE(*window.selection()->current().stage, window.document()->results()->front().schedule->stages.size() - 1);
    QVERIFY(window.document()->results()->front().schedule->stages.size() < sequential->stages.size());
}

void TestMainWindow::scheduleFile_roundTrip_isMeasuredHere()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const Document &document = *window.document();
    const std::string text = toJson(*document.next()->model()->graph, *document.results()->front().schedule);
    const double latencyUs = *document.results()->front().schedule->latencyUs();
    window.openPath(write(QStringLiteral("mine.schedule.json"), QByteArray::fromStdString(text)));
    QTRY_COMPARE(document.results()->shelf().results().size(), std::size_t{3});
    QCOMPARE(document.results()->front().name, std::string("mine"));
    QCOMPARE(*document.results()->front().schedule->latencyUs(), latencyUs);
    QVERIFY2(window.schedulePane()->titleText().startsWith(QStringLiteral("mine · opened: mine.schedule.json")),
             qPrintable(window.schedulePane()->titleText()));
    const ShelfRow row = window.shelf()->rows().front().rows.back();
    QCOMPARE(row.name, QStringLiteral("mine"));
    QVERIFY2(row.detail.contains(QStringLiteral("= Greedy")), qPrintable(row.detail)); // the same stages
    QVERIFY(row.isShown);
    // What a file holds counts where its name says nothing.
    window.openPath(write(QStringLiteral("other name.json"), QByteArray::fromStdString(text)));
    QTRY_COMPARE(document.results()->shelf().results().size(), std::size_t{4});
    QCOMPARE(document.results()->front().name, std::string("other name.json"));
    QVERIFY2(window.messages()->text().isEmpty(), qPrintable(window.messages()->text()));
}

void TestMainWindow::openPaths_modelAndItsSchedule_inAnyOrder()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const Document &document = *window.document();
    const std::string text = toJson(*document.next()->model()->graph, *document.results()->front().schedule);
    const QString file = write(QStringLiteral("of sample.json"), QByteArray::fromStdString(text));
    TestedWindow other(installedServices());
    other.show();
    other.openPaths({file, QStringLiteral("sample")});
    QTRY_COMPARE(other.document()->results()->shelf().results().size(), std::size_t{3});
    QCOMPARE(other.document()->results()->front().name, std::string("of sample.json"));
}

// A graph with its stages: a schedule for the open model, and a model with a schedule in it.
void TestMainWindow::scheduleFile_ofTheIosProject_isMeasuredHere()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const Document &document = *window.document();
    const Model &model = *document.next()->model();
    const TimedSchedule greedy = greedySchedule(*model.graph, model.blocks);
    std::vector<IosStage> stages;
    for (const Stage &stage : greedy.stages) {
        IosStage &written = stages.emplace_back(IosStage{stage.block, {}});
        for (const auto &group : stage.groups) {
            auto &names = written.groups.emplace_back();
            for (const OperatorId id : group)
                names.push_back(model.graph->op(id).name);
        }
    }
    const auto text = writeIosJson(*model.graph, model.blocks, stages);
    QVERIFY(text);
    window.openPath(write(QStringLiteral("ios.schedule.json"), QByteArray::fromStdString(*text)));
    QTRY_COMPARE(document.results()->front().name, std::string("ios"));
    QCOMPARE(document.results()->front().schedule->stages, greedy.stages);
    QVERIFY(document.results()->front().schedule->latencyUs());
    openAndWait(window, write(QStringLiteral("ios.json"), QByteArray::fromStdString(*text)));
    QTRY_COMPARE(document.results()->front().name, std::string("ios.json"));
    QCOMPARE(document.next()->model()->source, m_folder.filePath("ios.json").toStdString());
    QCOMPARE(document.results()->front().schedule->stages, greedy.stages);
}

void TestMainWindow::scheduleFile_otherModel_isRefused()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const std::string text =
        toJson(*window.document()->next()->model()->graph, *window.document()->results()->front().schedule);
    openAndWait(window, QStringLiteral("squeezenet"));
    const SchedulePtr before = window.document()->results()->front().schedule;
    window.openPath(write(QStringLiteral("other.schedule.json"), QByteArray::fromStdString(text)));
    QTRY_VERIFY2(window.messages()->text().contains(QStringLiteral("other.schedule.json")),
                 qPrintable(window.messages()->text()));
    QCOMPARE(window.document()->results()->fitting().size(), std::size_t{2});
    QCOMPARE(window.document()->results()->front().schedule, before);
}

void TestMainWindow::message_dismiss_hidesIt()
{
    TestedWindow window(installedServices());
    window.show();
    window.messages()->show(
        MessageBar::Kind::Info,
        QStringLiteral("models/long-name.onnx: operator conv1: channels do not match (3 against 4). "
                       "Export the model again with shapes."));
    QVERIFY(window.messages()->isVisible());
    const auto labels = window.messages()->findChildren<QLabel *>();
    const auto words =
        std::find_if(labels.begin(), labels.end(), [](const QLabel *label) { return !label->text().isEmpty(); });
    QVERIFY(words != labels.end());
    QTRY_VERIFY((*words)->width() > 200 && (*words)->height() >= (*words)->fontMetrics().height());
    QVERIFY(window.messages()->rect().contains((*words)->geometry()));
    // The text is really painted: more than one colour in the label's area.
    const QImage picture = window.messages()->grab((*words)->geometry()).toImage();
    bool inked = false;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x)
            inked = inked || picture.pixel(x, y) != picture.pixel(0, 0);
    }
    QVERIFY(inked);
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!window.messages()->isVisible());
    QVERIFY(window.messages()->text().isEmpty());
}

void TestMainWindow::measure_refused_isSaidInEveryPanel()
{
    Services services = installedServices();
    services.findDevice = [](const std::string &) -> Result<std::unique_ptr<Device>> {
        return fail(ErrorCode::DeviceFailed, "the worker is not there");
    };
    TestedWindow window(services);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY2(window.messages()->text().contains(QStringLiteral("the worker is not there")),
             qPrintable(window.messages()->text()));
    const auto *chart = window.findChild<LatencyChart *>();
    for (const QWidget *panel :
         {static_cast<const QWidget *>(window.timeline()), static_cast<const QWidget *>(chart)}) {
        const auto *hint = panel->findChild<QLabel *>(QStringLiteral("hint"));
        QTRY_COMPARE(hint->text(), QStringLiteral("Greedy: could not be measured."));
    }
    for (const std::size_t row : {0, 1})
        QCOMPARE(window.comparison()->rows()[row].note, QStringLiteral("could not be measured"));
}

// A failed search says nothing about the baselines.
void TestMainWindow::search_failed_leavesTheBaselinesAlone()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:k80")));
    QCOMPARE(window.document()->added().addBaselines().size(), std::size_t{2}); // as before they are measured
    emit window.queue()->searchFailed({ErrorCode::DeviceFailed, "the search went wrong", {}, {}});
    for (const std::size_t row : {0, 1})
        QCOMPARE(window.comparison()->rows()[row].note, QStringLiteral("waiting for its turn"));
    QVERIFY(window.messages()->text().contains(QStringLiteral("the search went wrong")));
}

void TestMainWindow::search_leastWidth_isInSight()
{
    TestedWindow window(installedServices());
    window.resize(window.minimumSize());
    window.show();
    QTRY_COMPARE(window.width(), window.minimumWidth());
    QTRY_VERIFY(window.searchPanel()->isVisible());
    QVERIFY(window.searchPanel()->mapTo(&window, window.searchPanel()->rect().topRight()).x() < window.width());
}

void TestMainWindow::status_deviceThatIsNotThere_isNotMeasured()
{
    Services services = installedServices();
    DeviceInfo gone;
    gone.id = services.defaultDevice = "cpu";
    gone.title = "cpu";
    gone.provenance = Provenance::Measured;
    gone.available = false;
    gone.unavailableReason = "the worker is not there";
    services.listDevices = [gone] { return std::vector{gone}; };
    const TestedWindow window(services);
    const auto text = [&] {
        QStringList words;
        for (const QLabel *label : window.findChild<QStatusBar *>()->findChildren<QLabel *>())
            words << label->text();
        return words.join(QLatin1Char(' '));
    };
    QTRY_VERIFY2(text().contains(QStringLiteral("not available")), qPrintable(text()));
    QVERIFY2(!text().contains(QStringLiteral("measured")), qPrintable(text()));
}

void TestMainWindow::measure_storeInTrouble_isToldOnce_data()
{
    QTest::addColumn<QString>("store");
    QTest::addColumn<QString>("words");
    QTest::newRow("measure_storeThatCannotBeMade_isTold")
        << QStringLiteral("/proc/latencies.sqlite") << QStringLiteral("latencies of this run are not stored");
    QTest::newRow("measure_damagedStore_isTold")
        << write(QStringLiteral("damaged.sqlite"), QByteArray(8192, 'x')) << QStringLiteral("was damaged");
}

void TestMainWindow::measure_storeInTrouble_isToldOnce()
{
    QFETCH(QString, store);
    QFETCH(QString, words);
    Services services = installedServices();
    services.findDevice = [troubles = services.storeErrors,
                           store](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device)
            return device;
        return storedDevice(std::move(*device), store.toStdString(),
                            [troubles](const Error &error) { emit troubles->reported(error); });
    };
    TestedWindow window(services);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(window.document()->results()->front().schedule); // measured nevertheless
    QVERIFY2(window.messages()->text().contains(words), qPrintable(window.messages()->text()));
    QVERIFY(window.messages()->isVisible());
    window.messages()->dismiss();
    window.startSearch(); // opens another session of the same store
    QTRY_VERIFY(window.isSettled());
    QVERIFY2(window.messages()->text().isEmpty(), qPrintable(window.messages()->text()));
}

STAGECRAFT_SUITE(TestMainWindow)

} // namespace tst_main_window
#include "tst_main_window.moc"
