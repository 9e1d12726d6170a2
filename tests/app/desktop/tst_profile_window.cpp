// Profiles of other programs in the window: opened by content, on the shelf, in the timeline, beside ours, in sessions.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "results/shelf_words.h"
#include "support/places.h"
#include "support/profile_making.h"
#include "support/shared_data.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/timeline/timeline_view.h"

#include <QDropEvent>
#include <QLabel>
#include <QMimeData>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_profile_window {

class TestProfileWindow : public WindowTest {
    Q_OBJECT

private slots:
    void open_trace_isAResultWithItsTimeline();
    void open_dropped_modelAndFilesOfOneProfile_belongTogether();
    void open_filesOfTensorRtsRecipe_areOneProfile();
    void open_noModel_saysSo();
    void open_noneFits_opensWithAWarning();
    void open_twice_isOneResult();
    void open_twoOfOneDevice_keepTheirLatencies();
    void open_damaged_namesTheFile();
    void open_stopped_changesNothing();
    void open_otherJson_isOpenedAsWhatItIs();
    void inspector_stageOfOurs_saysWhatTheProfileTook();
    void inspector_stageNothingIsMappedTo_saysNoTime();
    void inspector_model_hasWhatIsMappedToNothing();
    void actions_nothingIsMeasured();
    void remove_undo_bringsItBack();
    void session_keepsIt();
    void panes_compareItWithOurs();
    void scheduleFile_ofAProfile_keepsItsLatency();

private:
    QString trace(const QString &name, const std::vector<QByteArray> &kernels)
    {
        return write(name, pytorchTrace(kernels));
    }
    // conv2, conv3 and conv4 run beside each other on three streams.
    QString threeStreams(const QString &name = QStringLiteral("trace.json"))
    {
        return trace(name, {pytorchKernel("conv1", "100", "20"), pytorchKernel("conv2", "120", "30"),
                            pytorchKernel("conv3", "125", "30", 20), pytorchKernel("conv4", "130", "10", 24),
                            pytorchKernel("elsewhere", "160", "5")});
    }
    static void openSample(TestedWindow &window)
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, QStringLiteral("sample"));
    }
    static void openProfile(TestedWindow &window, const QStringList &paths)
    {
        window.openPaths(paths);
        QTRY_VERIFY(window.isSettled());
    }
    static const ScheduleResult &shown(const TestedWindow &window)
    {
        const Results *results = window.document()->results();
        return *results->shelf().find(results->current());
    }
    static std::size_t profiles(const TestedWindow &window)
    {
        const auto &all = window.document()->results()->shelf().results();
        return static_cast<std::size_t>(std::ranges::count(all, Origin::Profiled, &ScheduleResult::origin));
    }
};

void TestProfileWindow::open_trace_isAResultWithItsTimeline()
{
    TestedWindow window(installedServices());
    openSample(window);
    const QString device = QString::fromStdString(window.document()->next()->device().id);
    openProfile(window, {threeStreams()});
    const ScheduleResult &result = shown(window);
    QVERIFY(result.origin == Origin::Profiled && result.state == ResultState::Done);
    QCOMPARE(result.title, std::string("trace"));
    QCOMPARE(result.settings.device, std::string("GPU of a test (profile)"));
    QCOMPARE(*result.schedule->latencyUs(), 65.0);
    QVERIFY(result.schedule->measured.provenance == Provenance::Recorded);
    QVERIFY2(!window.messages()->isVisible(), qPrintable(window.messages()->text()));
    QCOMPARE(QString::fromStdString(window.document()->next()->device().id), device); // where the next search runs
    const RatedResult &front = window.document()->results()->front();
    QVERIFY(front.timeline);
    QCOMPARE(front.timeline->timeline().streamNames.size(), 3U);
    QVERIFY2(window.timeline()->plainSummary().contains(QStringLiteral("GPU of a test (profile)")),
             qPrintable(window.timeline()->plainSummary()));
    QVERIFY(!window.messages()->isVisible());
    QCOMPARE(madeByText(window.document()->results()->shelf(), result),
             std::string("recorded by PyTorch profiler: trace.json"));
}

void TestProfileWindow::open_dropped_modelAndFilesOfOneProfile_belongTogether()
{
    QStringList files;
    for (const char *part : {"pytorch_A100_fp32.profile.json", "resnet18.onnx", "pytorch_A100_fp32.graph.json",
                             "pytorch_A100_fp32.profile.metadata.json"})
        files << sharedDataPath(QStringLiteral("profiles/tensorrt/") + QLatin1String(part));
    if (files.contains(QString()))
        QSKIP(kNoSharedData);
    TestedWindow window(installedServices());
    window.show();
    QMimeData data;
    QList<QUrl> urls;
    for (const QString &file : files)
        urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    QTRY_VERIFY_WITH_TIMEOUT(window.isSettled() && profiles(window) == 1, 30'000);
    const auto &results = window.document()->results()->shelf().results();
    const ScheduleResult &result = *std::ranges::find(results, Origin::Profiled, &ScheduleResult::origin);
    QCOMPARE(result.settings.device, std::string("NVIDIA A100 80GB PCIe (profile)"));
    QVERIFY(std::abs(*result.schedule->latencyUs() - 2000) < 20);
    QCOMPARE(result.schedule->measured.profile->files.size(), 3U);
    QVERIFY(window.document()->results()->current() == result.id);
}

// As the export of an ONNX file names them; its merged convolution is one layer.
void TestProfileWindow::open_filesOfTensorRtsRecipe_areOneProfile()
{
    TestedWindow window(installedServices());
    openSample(window);
    const QStringList files{
        write(QStringLiteral("staged.times.json"), R"([{"computeMs": 0.4}, {"computeMs": 0.5}, {"computeMs": 0.45}])"),
        write(QStringLiteral("staged.layers.json"),
              R"({"Layers": [{"Name": "conv1+conv2 + conv1+conv2/after", "LayerType": "CaskConvolution"}]})"),
        write(QStringLiteral("staged.profile.json"),
              R"([{"count": 10}, {"name": "conv1+conv2 + conv1+conv2/after", "timeMs": 4, "averageMs": 0.4}])")};
    openProfile(window, files);
    QCOMPARE(profiles(window), 1U);
    const auto &profile = *shown(window).schedule->measured.profile;
    QCOMPARE(profile.files.size(), 3U);
    QCOMPARE(profile.unmappedUs, 0.0);
    QCOMPARE(*shown(window).schedule->latencyUs(), 450.0);
}

void TestProfileWindow::open_noModel_saysSo()
{
    TestedWindow window(installedServices());
    window.show();
    openProfile(window, {threeStreams()});
    QCOMPARE(window.messages()->text(),
             QStringLiteral("trace.json is a profile. Open the model that it was recorded of first."));
    QVERIFY(window.document()->results()->shelf().results().empty());
}

void TestProfileWindow::open_noneFits_opensWithAWarning()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window,
                {trace(QStringLiteral("other.json"), {pytorchKernel("k", "0", "4"), pytorchKernel("l", "5", "8")})});
    QVERIFY2(
        window.messages()->text().startsWith(QStringLiteral("other: none of the 2 kernels or layers fits an operator "
                                                            "of sample")),
        qPrintable(window.messages()->text()));
    QCOMPARE(profiles(window), 1U);
    QCOMPARE(shown(window).schedule->measured.profile->unmappedUs, 12.0);
}

void TestProfileWindow::open_twice_isOneResult()
{
    TestedWindow window(installedServices());
    openSample(window);
    const QString path = threeStreams();
    openProfile(window, {path});
    const ResultId first = shown(window).id;
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Sequential));
    openProfile(window, {path});
    QCOMPARE(profiles(window), 1U);
    QVERIFY(shown(window).id == first);
}

// Equal schedules share their measurements, but each profile is a run of its own.
void TestProfileWindow::open_twoOfOneDevice_keepTheirLatencies()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {trace(QStringLiteral("a.json"), {pytorchKernel("conv1", "0", "20")}),
                         trace(QStringLiteral("b.json"), {pytorchKernel("conv1", "0", "30")})});
    QCOMPARE(profiles(window), 2U);
    std::vector<double> latencies;
    for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
        if (result.origin == Origin::Profiled)
            latencies.push_back(window.document()->results()->shelf().latency(result.id)->us);
    }
    QVERIFY(latencies == (std::vector{20.0, 30.0}));
}

void TestProfileWindow::open_damaged_namesTheFile()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {write(QStringLiteral("bad.json"), R"({"traceEvents": [{"ph": "X", )")});
    QVERIFY2(window.messages()->text().contains(QStringLiteral("bad.json")), qPrintable(window.messages()->text()));
    QCOMPARE(profiles(window), 0U);
}

void TestProfileWindow::open_stopped_changesNothing()
{
    TestedWindow window(installedServices());
    openSample(window);
    std::vector<QByteArray> kernels;
    for (int i = 0; i < 60'000; ++i)
        kernels.push_back(pytorchKernel("conv1", QByteArray::number(i * 10), "9"));
    const QString path = trace(QStringLiteral("large.json"), kernels);
    window.openPaths({path});
    QVERIFY(window.open()->isBusy());
    window.open()->stopOpening();
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(profiles(window), 0U);
    QVERIFY(!window.messages()->isVisible());
}

void TestProfileWindow::open_otherJson_isOpenedAsWhatItIs()
{
    TestedWindow window(installedServices());
    openSample(window);
    const QString device = write(QStringLiteral("mine.json"), [] {
        QFile file(sourcePath("resources/devices/v100.json"));
        return file.open(QIODevice::ReadOnly) ? file.readAll().replace(R"("name": "v100")", R"("name": "mine")")
                                              : QByteArray();
    }());
    openProfile(window, {device, threeStreams()});
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(profiles(window), 1U);
    QCOMPARE(QString::fromStdString(window.document()->next()->device().id), QStringLiteral("sim:") + device);
    const QString broken = write(QStringLiteral("broken.json"), R"({"format": "stagecraft-device"})");
    openProfile(window, {broken, trace(QStringLiteral("second.json"), {pytorchKernel("conv1", "0", "20")})});
    QCOMPARE(profiles(window), 2U);
    QVERIFY2(window.messages()->text().contains(QStringLiteral("broken.json")), qPrintable(window.messages()->text()));
}

void TestProfileWindow::inspector_stageOfOurs_saysWhatTheProfileTook()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {threeStreams()});
    Results &results = *window.document()->results();
    results.setCurrent(results.newest(ScheduleKind::Greedy));
    const TimedSchedule &greedy = *results.front().schedule;
    const auto beside = std::ranges::find_if(greedy.stages, [](const Stage &stage) { return stage.groups.size() > 1; });
    QVERIFY(beside != greedy.stages.end());
    window.selection()->set({std::nullopt, static_cast<std::size_t>(beside - greedy.stages.begin())});
    QTRY_VERIFY2(window.inspector()->plainText().contains(QStringLiteral("in trace, on GPU of a test (profile)")),
                 qPrintable(window.inspector()->plainText()));
    // On its own page it is no other profile.
    results.setCurrent(std::ranges::find(results.shelf().results(), Origin::Profiled, &ScheduleResult::origin)->id);
    window.selection()->set({std::nullopt, 0});
    QTRY_VERIFY(window.inspector()->plainText().contains(QStringLiteral("recorded")));
    QVERIFY(!window.inspector()->plainText().contains(QStringLiteral("in trace, on")));
}

void TestProfileWindow::inspector_stageNothingIsMappedTo_saysNoTime()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {trace(QStringLiteral("part.json"), {pytorchKernel("conv1", "100", "20")})});
    Results &results = *window.document()->results();
    results.setCurrent(results.newest(ScheduleKind::Sequential));
    QTRY_VERIFY(window.isSettled());
    const auto &stages = results.front().schedule->stages;
    std::size_t mapped = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        window.selection()->set({std::nullopt, stage});
        QTRY_VERIFY(window.inspector()->plainText().contains(stageTitle(stage)));
        const QString text = window.inspector()->plainText();
        mapped += text.contains(QStringLiteral("in part, on GPU of a test (profile)")) ? 1 : 0;
    }
    QCOMPARE(mapped, 1U);
}

void TestProfileWindow::inspector_model_hasWhatIsMappedToNothing()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {threeStreams()});
    window.selection()->set({});
    QTRY_VERIFY(window.inspector()->plainText().contains(QStringLiteral("Mapped to nothing")));
    const QString text = window.inspector()->plainText();
    for (const char *fact : {"Recorded by", "PyTorch profiler", "trace.json", "elsewhere"})
        QVERIFY2(text.contains(QLatin1String(fact)), qPrintable(text));
}

void TestProfileWindow::actions_nothingIsMeasured()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {threeStreams()});
    window.selection()->set({std::nullopt, 0});
    for (const char *keys : {"Ctrl+M", "Ctrl+Shift+M"}) {
        const auto actions = window.findChildren<QAction *>();
        const auto action = std::ranges::find(actions, QKeySequence(QLatin1String(keys)), &QAction::shortcut);
        QVERIFY(action != actions.end());
        QVERIFY2(!(*action)->isEnabled(), keys);
    }
    window.measureAgain(shown(window).id);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(*shown(window).schedule->latencyUs(), 65.0);
    QVERIFY(!window.messages()->isVisible());
    // Nor can it be edited, or improved.
    const ResultId id = shown(window).id;
    const std::size_t before = window.document()->results()->shelf().results().size();
    const auto edited = window.document()->editor()->edit(id, JoinStages{{0, 1}});
    QVERIFY(!edited && edited.error().code == ErrorCode::WrongUse);
    QCOMPARE(edited.error().message, std::string("a profile recorded it, and nothing more can be measured there"));
    window.findChild<SearchArea *>()->improve(id);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->results()->shelf().results().size(), before);
    QVERIFY2(window.messages()->text().contains(QStringLiteral("a profile recorded it")),
             qPrintable(window.messages()->text()));
}

void TestProfileWindow::remove_undo_bringsItBack()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {threeStreams()});
    const ResultId id = shown(window).id;
    window.document()->results()->remove({id});
    QCOMPARE(profiles(window), 0U);
    window.document()->results()->undo();
    QCOMPARE(profiles(window), 1U);
    window.document()->results()->setCurrent(id);
    QTRY_VERIFY(window.isSettled() && window.document()->results()->front().timeline);
}

void TestProfileWindow::session_keepsIt()
{
    const QString path = m_folder.filePath(QStringLiteral("kept.stagecraft"));
    const QString profile = threeStreams(QStringLiteral("kept.json"));
    {
        TestedWindow window(installedServices());
        openSample(window);
        openProfile(window, {profile});
        QTRY_VERIFY(window.isSettled() && shown(window).origin == Origin::Profiled);
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    {
        TestedWindow window(installedServices());
        window.show();
        window.openSession(path);
        QTRY_VERIFY(window.isSettled() && profiles(window) == 1);
        const ScheduleResult &result = shown(window);
        QVERIFY(result.origin == Origin::Profiled);
        QCOMPARE(*result.schedule->latencyUs(), 65.0);
        QCOMPARE(result.settings.device, std::string("GPU of a test (profile)"));
        QCOMPARE(result.schedule->measured.profile->unmappedUs, 5.0);
        QTRY_VERIFY(window.document()->results()->front().timeline); // read again
    }
    QVERIFY(QFile::remove(profile));
    TestedWindow window(installedServices());
    window.show();
    window.openSession(path);
    QTRY_VERIFY(window.isSettled() && profiles(window) == 1);
    QVERIFY(!window.document()->results()->front().timeline);
    const auto *hint = window.timeline()->findChild<QLabel *>(QStringLiteral("hint"));
    QTRY_VERIFY2(hint->text().contains(QStringLiteral("the profile is not there any more")), qPrintable(hint->text()));
}

void TestProfileWindow::panes_compareItWithOurs()
{
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {threeStreams()});
    window.panes()->openBeside(window.document()->results()->newest(ScheduleKind::Greedy));
    QTRY_VERIFY(window.isSettled());
    QTRY_COMPARE(window.timeline()->laneCount(), std::size_t{2});
    QVERIFY(window.difference() != nullptr);
}

void TestProfileWindow::scheduleFile_ofAProfile_keepsItsLatency()
{
    const QString path = m_folder.filePath(QStringLiteral("my.net.schedule.json"));
    const QString profile = threeStreams();
    {
        TestedWindow window(installedServices());
        openSample(window);
        openProfile(window, {profile});
        answerFileDialog(path);
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(QFile::exists(path));
    }
    TestedWindow window(installedServices());
    openSample(window);
    openProfile(window, {path});
    QCOMPARE(profiles(window), 1U);
    QCOMPARE(shown(window).title, std::string("my.net"));
    QCOMPARE(*shown(window).schedule->latencyUs(), 65.0);
    QCOMPARE(shown(window).settings.device, std::string("GPU of a test (profile)"));
    openProfile(window, {profile}); // which it was made of
    QCOMPARE(profiles(window), 1U);
}

STAGECRAFT_SUITE(TestProfileWindow)

} // namespace tst_profile_window
#include "tst_profile_window.moc"
