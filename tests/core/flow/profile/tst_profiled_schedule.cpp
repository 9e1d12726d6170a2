#include "device/recorded/profile_device.h"
#include "flow/open/profiles_among.h"
#include "flow/profiled_schedule.h"
#include "flow/profiled_timeline.h"
#include "results/files/schedule_json.h"
#include "schedule/verify.h"
#include "support/opened_model.h"
#include "support/profile_making.h"
#include "support/shared_data.h"
#include "support/suite.h"
#include "timing/simulator_version.h"
#include "timing/timeline/timeline_index.h"
#include "timing/timeline/timeline_rows.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_profiled_schedule {

namespace {

// The sample network: conv1 is read by conv2, conv3 and conv4; add reads conv2 and conv3.
const Model &sample()
{
    static const Model model = *openedModel("sample");
    return model;
}

ImportedProfile importedTrace(const std::vector<QByteArray> &kernels)
{
    const auto profile = readContents({pytorchTrace(kernels)});
    if (!profile)
        qFatal("%s", profile.error().message.c_str());
    return bindProfile(sample(), *profile);
}

// Three streams, and one kernel of no operator in the middle.
ImportedProfile threeStreams()
{
    return importedTrace({pytorchKernel("conv1", "100", "20"), pytorchKernel("conv2", "120", "30"),
                          pytorchKernel("conv3", "125", "30", 20), pytorchKernel("conv4", "130", "10", 24),
                          pytorchKernel("elsewhere", "160", "5"), pytorchKernel("conv2", "170", "2")});
}

std::vector<std::string> resNetFiles(const std::string &which)
{
    std::vector<std::string> files;
    for (const char *part : {"graph", "profile", "profile.metadata"}) {
        const QString file =
            sharedDataPath(QString("profiles/tensorrt/pytorch_A100_%1.%2.json").arg(which.c_str(), part));
        if (file.isEmpty())
            return {};
        files.push_back(file.toStdString());
    }
    return files;
}

} // namespace

class TestProfiledSchedule : public QObject {
    Q_OBJECT

private slots:
    void schedule_ofAProfile_hasItsTimesAndProvenance();
    void schedule_withoutALatency_isASumOfLayers();
    void schedule_withoutKernels_isRefused();
    void schedule_noneFits_isAllUnmapped();
    void schedule_inAFile_comesBack();
    void schedule_damagedFile_isRefused_data();
    void schedule_damagedFile_isRefused();
    void timeline_ofAProfile_hasItsStreams();
    void timeline_overlapOnOneStream_getsARow();
    void timeline_fileGoneOrChanged_isRefused();
    void among_severalFiles_areToldApart();
    void schedule_ofResNet18_takesItsLayers_data();
    void schedule_ofResNet18_takesItsLayers();
    void device_ofAProfile_isNoneOfOurs();
};

void TestProfiledSchedule::schedule_ofAProfile_hasItsTimesAndProvenance()
{
    const ImportedProfile imported = threeStreams();
    const auto schedule = profiledSchedule(sample(), imported);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    QVERIFY(verifySchedule(*sample().graph, sample().blocks, *schedule));
    QCOMPARE(schedule->context.device, std::string("GPU of a test (profile)"));
    QVERIFY(schedule->measured.provenance == Provenance::Recorded);
    QCOMPARE(schedule->search.strategy, std::string("profiled"));
    QCOMPARE(*schedule->latencyUs(), 72.0);
    QCOMPARE(*schedule->latencyUs(), *imported.times.latencyUs);
    QVERIFY(!schedule->measured.isSumOfStages());
    const RecordedProfile &profile = *schedule->measured.profile;
    QCOMPARE(profile.mappedUs, 92.0);
    QCOMPARE(profile.unmappedUs, 5.0);
    QVERIFY(profile.unmapped == (std::vector<UnmappedKernels>{{"elsewhere", 5, 1}}));
    QVERIFY(profile.notes.empty());
    // conv2, conv3 and conv4 ran beside each other: from 120 to 155, and conv2 once more.
    const auto beside =
        std::ranges::find_if(schedule->stages, [](const Stage &stage) { return stage.groups.size() > 1; });
    QVERIFY(beside != schedule->stages.end());
    const auto place = static_cast<std::size_t>(beside - schedule->stages.begin());
    QCOMPARE(schedule->measured.stages[place].latencyUs, 37.0);
    QCOMPARE(schedule->sumOfStagesUs(), 57.0);
}

void TestProfiledSchedule::schedule_withoutALatency_isASumOfLayers()
{
    const auto profile = readContents({R"([{"count": 1}, {"name": "conv1", "timeMs": 0.5, "averageMs": 0.5},
                                          {"name": "shuffle", "timeMs": 0.25, "averageMs": 0.25}])"});
    QVERIFY(profile);
    const auto schedule = profiledSchedule(sample(), bindProfile(sample(), *profile));
    QVERIFY(schedule && schedule->measured.isSumOfStages());
    QCOMPARE(*schedule->latencyUs(), 750.0);
    QCOMPARE(schedule->context.device, std::string("unknown device (profile)"));
    QVERIFY(schedule->measured.profile->notes.back().starts_with("no file states how long the whole took"));
}

void TestProfiledSchedule::schedule_withoutKernels_isRefused()
{
    const auto profile = readContents({pytorchTrace({pytorchSpan("cpu_op", "aten::add", 10, 5)})});
    QVERIFY(profile);
    Profile empty = *profile;
    empty.kernels.clear();
    const auto schedule = profiledSchedule(sample(), bindProfile(sample(), empty));
    QVERIFY(!schedule);
    QVERIFY2(schedule.error().message.starts_with("it has no kernels"), schedule.error().message.c_str());
}

void TestProfiledSchedule::schedule_noneFits_isAllUnmapped()
{
    const ImportedProfile imported = importedTrace({pytorchKernel("k", "0", "4"), pytorchKernel("l", "5", "8")});
    const auto schedule = profiledSchedule(sample(), imported);
    QVERIFY(schedule);
    QCOMPARE(schedule->stages.size(), sample().graph->size());
    QCOMPARE(schedule->sumOfStagesUs(), 0.0);
    QCOMPARE(*schedule->latencyUs(), 13.0);
    QCOMPARE(schedule->measured.profile->unmappedUs, 12.0);
    QVERIFY(unmappedWarning(imported, "sample").starts_with("none of the 2 kernels or layers fits"));
    QVERIFY(unmappedWarning(threeStreams(), "sample").empty());
}

void TestProfiledSchedule::schedule_inAFile_comesBack()
{
    auto schedule = profiledSchedule(sample(), threeStreams());
    QVERIFY(schedule);
    schedule->measured.profile->version = "2.1";
    schedule->measured.profile->notes = {"a ran earlier"};
    const std::string text = toJson(*sample().graph, *schedule);
    const auto back = scheduleFromJson(text, *sample().graph, sample().blocks, sample().reference());
    QVERIFY2(back, back ? "" : back.error().message.c_str());
    QVERIFY(back->stages == schedule->stages);
    QVERIFY(back->measured.profile == schedule->measured.profile);
    QVERIFY(back->measured.whole == schedule->measured.whole && back->context.device == schedule->context.device);
    QCOMPARE(toJson(*sample().graph, *back), text);
}

void TestProfiledSchedule::schedule_damagedFile_isRefused_data()
{
    QTest::addColumn<QByteArray>("profile");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no object") << QByteArray("[]") << QByteArray("\"profile\" is not an object");
    QTest::newRow("files") << QByteArray(R"({"files": 3})") << QByteArray("\"files\" is not a list");
    QTest::newRow("a file") << QByteArray(R"({"files": [{}]})") << QByteArray("\"file\" is missing");
    QTest::newRow("time") << QByteArray(R"({"unmapped": [{"name": "k", "time_us": "long"}]})")
                          << QByteArray("\"time_us\" is not a number");
    QTest::newRow("notes") << QByteArray(R"({"profile_notes": 1})") << QByteArray("\"profile_notes\" is not a list");
    QTest::newRow("a note") << QByteArray(R"({"profile_notes": [1]})")
                            << QByteArray("\"profile_notes\" has 1, which is not text");
}

void TestProfiledSchedule::schedule_damagedFile_isRefused()
{
    QFETCH(QByteArray, profile);
    QFETCH(QByteArray, says);
    const auto schedule = profiledSchedule(sample(), threeStreams());
    QVERIFY(schedule);
    QByteArray text = QByteArray::fromStdString(toJson(*sample().graph, *schedule));
    const auto begin = text.indexOf("\"profile\": {");
    QVERIFY(begin > 0);
    text.replace(begin, 11, "\"profile\": " + profile + ", \"was\": ");
    const auto read = scheduleFromJson(text.toStdString(), *sample().graph, sample().blocks, sample().reference());
    QVERIFY(!read);
    QVERIFY2(read.error().message == says.toStdString(), read.error().message.c_str());
}

void TestProfiledSchedule::timeline_ofAProfile_hasItsStreams()
{
    const ImportedProfile imported = threeStreams();
    const auto schedule = profiledSchedule(sample(), imported);
    QVERIFY(schedule);
    const Timeline timeline = profiledTimeline(sample(), imported, *schedule);
    QVERIFY(timeline.streamNames == (std::vector<std::string>{"stream 7", "stream 20", "stream 24"}));
    QCOMPARE(timeline.durationNs, 72000);
    QCOMPARE(timeline.kernels.size(), 6U);
    QVERIFY(timeline.provenance == Provenance::Recorded && !hasThreadRows(timeline));
    const KernelSpan &elsewhere = timeline.kernels[4];
    QVERIFY(elsewhere.name == "elsewhere" && elsewhere.operators.empty() && !elsewhere.stageOrNone());
    QCOMPARE(timeline.stages.size(), schedule->stages.size());
    for (std::size_t i = 1; i < timeline.stages.size(); ++i)
        QVERIFY(timeline.stages[i].startNs >= timeline.stages[i - 1].endNs);
    const TimelineIndex index(std::make_shared<const Timeline>(timeline));
    QCOMPARE(index.busyNs(0, {0, 72000}), 57000);
    const auto gap = index.gapAt(0, 55000);
    QVERIFY(gap && gap->kind == GapKind::Idle);
    QVERIFY((gap->range == TimeRange{50000, 60000}));
    QCOMPARE(index.barrierAfter(0).sizeNs(), 0);
    QCOMPARE(index.waitAfter(1, 0).sizeNs(), 0); // the profile does not say what was waited for
    const OperatorId conv2 = *sample().graph->find("conv2");
    QCOMPARE(busyNsOf(timeline, std::vector{conv2}), 32000);
    QCOMPARE(busyNsOf(timeline, std::vector{conv2, *sample().graph->find("conv3")}), 37000);
}

void TestProfiledSchedule::timeline_overlapOnOneStream_getsARow()
{
    const ImportedProfile imported =
        importedTrace({pytorchKernel("conv1", "0", "20"), pytorchKernel("conv2", "19.5", "30"), // rounded
                       pytorchKernel("conv3", "25", "30")});
    const auto schedule = profiledSchedule(sample(), imported);
    QVERIFY(schedule);
    const Timeline timeline = profiledTimeline(sample(), imported, *schedule);
    QVERIFY(timeline.streamNames == (std::vector<std::string>{"stream 7", "stream 7 (2)"}));
    QCOMPARE(timeline.kernels[2].stream, 1U);
}

void TestProfiledSchedule::timeline_fileGoneOrChanged_isRefused()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("trace.json");
    const auto write = [&](const QByteArray &text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    };
    write(pytorchTrace({pytorchKernel("conv1", "0", "20"), pytorchKernel("conv2", "20", "30")}));
    const auto imported = importProfile(sample(), std::vector{path.toStdString()});
    QVERIFY(imported);
    const auto schedule = profiledSchedule(sample(), *imported);
    QVERIFY(schedule);
    const auto timeline = timelineOfProfile(sample(), *schedule, {});
    QVERIFY2(timeline, timeline ? "" : timeline.error().message.c_str());
    QCOMPARE(timeline->kernels.size(), 2U);
    write(pytorchTrace({pytorchKernel("conv1", "0", "21"), pytorchKernel("conv2", "21", "30")}));
    const auto changed = timelineOfProfile(sample(), *schedule, {});
    QVERIFY(!changed && changed.error().message == "the profile has changed since it was opened");
    QVERIFY(QFile::remove(path));
    const auto gone = timelineOfProfile(sample(), *schedule, {});
    QVERIFY(!gone && gone.error().message.starts_with("the profile is not there any more"));
    QCOMPARE(gone.error().context.front(), path.toStdString());
}

void TestProfiledSchedule::among_severalFiles_areToldApart()
{
    const QTemporaryDir folder;
    const auto write = [&](const char *name, const QByteArray &text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("a test could not write its file");
        return folder.filePath(name).toStdString();
    };
    const std::string times = write("a.json", R"([{"count": 1}, {"name": "conv1", "timeMs": 0.5, "averageMs": 0.5}])");
    const std::string trace = write("b.json", pytorchTrace({}));
    const std::string model = write("c.json", R"({"name": "a model"})");
    const std::string layers = write("d.json", R"({"Layers": []})");
    const std::string second = write("e.json", pytorchTrace({}));
    const std::string missing = folder.filePath("f.json").toStdString();
    const auto among = profilesAmong(std::vector{times, trace, model, layers, second, missing}, {});
    QVERIFY(among);
    QVERIFY(among->others == (std::vector{model, missing}));
    std::vector<std::vector<std::string>> profiles;
    for (const auto &files : among->profiles) {
        auto &paths = profiles.emplace_back();
        for (const ProfileFile &file : files)
            paths.push_back(file.path);
    }
    QVERIFY(profiles == (std::vector<std::vector<std::string>>{{times, layers}, {trace}, {second}}));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(profilesAmong(std::vector{times}, stop.get_token()).error().code == ErrorCode::Cancelled);
}

void TestProfiledSchedule::schedule_ofResNet18_takesItsLayers_data()
{
    QTest::addColumn<QString>("which");
    QTest::addColumn<double>("latencyUs");
    QTest::newRow("fp32") << "fp32" << 2000.0;
    QTest::newRow("fp16") << "fp16" << 860.0;
}

void TestProfiledSchedule::schedule_ofResNet18_takesItsLayers()
{
    QFETCH(QString, which);
    QFETCH(double, latencyUs);
    const auto files = resNetFiles(which.toStdString());
    if (files.empty())
        QSKIP(kNoSharedData);
    const auto model = openedModel(sharedDataPath("profiles/tensorrt/resnet18.onnx").toStdString());
    QVERIFY(model);
    const auto imported = importProfile(*model, files);
    QVERIFY(imported);
    const auto schedule = profiledSchedule(*model, *imported);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    QVERIFY(verifySchedule(*model->graph, model->blocks, *schedule));
    QCOMPARE(schedule->context.device, std::string("NVIDIA A100 80GB PCIe (profile)"));
    QVERIFY(qAbs(*schedule->latencyUs() - latencyUs) < 0.01 * latencyUs);
    QVERIFY(qAbs(schedule->sumOfStagesUs() - static_cast<double>(imported->mappedNs) / 1000) < 1e-6);
    QCOMPARE(schedule->measured.profile->unmappedUs, 0.0);
    QVERIFY(std::ranges::all_of(schedule->measured.stages, [](const Timing &stage) { return stage.latencyUs > 0; }));
    const Timeline timeline = profiledTimeline(*model, *imported, *schedule);
    QVERIFY(timeline.streamNames == (std::vector<std::string>{"layers"}));
    QVERIFY(timeline.notes.front().starts_with("the profile says how long layers took"));
}

void TestProfiledSchedule::device_ofAProfile_isNoneOfOurs()
{
    for (const char *name : {"", "cpu", "sim:v100", "NVIDIA A100"})
        QVERIFY(isProfileDevice(profileDeviceId(name)));
    for (const char *id : {"cpu", "sim:v100", "gpu:0", "rec:x.latencies.jsonl", "NVIDIA A100"})
        QVERIFY(!isProfileDevice(id));
    RunContext traced;
    traced.device = profileDeviceId("sim:v100"); // of a simulator that its trace does not name
    QVERIFY(!isOfOlderSimulator(traced));
    const DeviceInfo device = profileDevice("NVIDIA A100 (profile)");
    QVERIFY(!device.available && device.provenance == Provenance::Recorded);
}

STAGECRAFT_SUITE(TestProfiledSchedule)

} // namespace tst_profiled_schedule
#include "timing/simulator_version.h"
#include "tst_profiled_schedule.moc"
