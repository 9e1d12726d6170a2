#include "device/recorded/profiles/profile_times.h"
#include "support/profile_making.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_tensorrt_profile {

namespace {

const QByteArray kTimes = R"([
  { "count" : 2 }
, { "name" : "Conv_0 + Relu_1", "timeMs" : 1.04448, "averageMs" : 0.52224, "medianMs" : 0.52224, "percentage" : 90 }
, { "name" : "MaxPool_2", "timeMs" : 0.05952, "averageMs" : 0.02976, "percentage" : 10 }
])";
const QByteArray kLayers = R"({"Layers": [
  {"Name": "Conv_0 + Relu_1", "LayerType": "CaskConvolution", "ParameterType": "Convolution", "Kernel": [7, 7],
   "OutMaps": 64, "Groups": 1, "TacticName": "ampere_scudnn", "Inputs": [{"Name": "x", "Dimensions": [32, 3, 224, 224]}],
   "Outputs": [{"Name": "y", "Dimensions": [32, 64, 112, 112],
                "Format/Datatype": "Channel major FP16 format where channel % 8 == 0"}]},
  {"Name": "MaxPool_2", "LayerType": "TiledPooling", "PoolingType": "MAX", "Inputs": [],
   "Outputs": [{"Name": "z", "Format/Datatype": "Half"}]}
], "Bindings": ["x", "z"]})";
const QByteArray kRuns = R"([ { "computeMs" : 1.5 }, { "computeMs" : 1.25 }, { "computeMs" : 2 } ])";
const QByteArray kMetadata =
    R"({"performance_summary": {"GPU Compute Time": [1.25, 2.0, 1.6, 1.5, 1.9]}, "device_information": {"Selected Device": "A GPU"}})";

} // namespace

class TestTensorRtProfile : public QObject {
    Q_OBJECT

private slots:
    void read_filesInAnyOrder_makeOneProfile();
    void read_timesAlone_sayWhatIsMissing();
    void read_badFiles_areRefused_data();
    void read_badFiles_areRefused();
    void read_enginesOfOthers_haveTheSumOfTheirFile_data();
    void read_enginesOfOthers_haveTheSumOfTheirFile();
};

void TestTensorRtProfile::read_filesInAnyOrder_makeOneProfile()
{
    const auto profile = readContents({kMetadata, kRuns, kLayers, kTimes});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(profile->files.size(), 4U);
    QCOMPARE(profile->device, std::string("A GPU"));
    QCOMPARE(profile->kernels.size(), 2U);
    const ProfiledKernel &conv = profile->kernels[0];
    QVERIFY(conv.kind == ProfiledKind::Layer && !conv.startNs);
    QCOMPARE(conv.durationNs, 522'240);
    QCOMPARE(conv.type, std::string("CaskConvolution"));
    QVERIFY(conv.outputs == std::vector<std::string>{"y"});
    QVERIFY(conv.inputShapes.at(1) == (ProfiledShape{64, 3, 7, 7}));
    QVERIFY(conv.outputShapes.at(0) == (ProfiledShape{32, 64, 112, 112}));
    QCOMPARE(profile->kernels[1].durationNs, 29'760);
    QCOMPARE(conv.precision, std::string("FP16"));
    QCOMPARE(conv.layout, std::string("Channel major where channel % 8 == 0"));
    QCOMPARE(profile->kernels[1].precision, std::string("Half"));
    QVERIFY(profile->kernels[1].layout.empty());
    const ProfileTimes times = profileTimes(*profile);
    QVERIFY(!times.times.busyNs && !times.times.gapsNs);
    QCOMPARE(*times.latencyUs, 1500.0);
    QCOMPARE(times.spread->runs, 3U);
    QCOMPARE(times.spread->mostUs, 2000.0);
    QVERIFY(times.runsUs == (std::vector<double>{1500, 1250, 2000}));
    QCOMPARE(times.differences.size(), 1U);
    QVERIFY(times.differences[0].cause == TimeCause::Profiler);
    QCOMPARE(times.differences[0].us, 1500.0 - 552.0);
}

void TestTensorRtProfile::read_timesAlone_sayWhatIsMissing()
{
    const auto profile = readContents({kTimes});
    QVERIFY(profile);
    for (const char *key : {"device", "layers", "program_version", "streams"})
        QVERIFY2(profile->missing.contains(key), key);
    QVERIFY(!profileTimes(*profile).latencyUs);
}

void TestTensorRtProfile::read_badFiles_areRefused_data()
{
    QTest::addColumn<QList<QByteArray>>("files");
    QTest::addColumn<QString>("reason");
    QTest::newRow("layers alone") << QList{kLayers} << "profile1: these files have no times of layers";
    QTest::newRow("twice") << QList{kTimes, kTimes}
                           << "profile2: another of the files says the same: they are of two profiles";
    QTest::newRow("no time") << QList{QByteArray("[{\"count\": 1},\n{\"name\": \"a\", \"timeMs\": null}]")}
                             << "profile1: line 2: the layer \"a\" has no time";
    QTest::newRow("no runs") << QList{QByteArray(R"([{"count": 0}, {"name": "a", "timeMs": 1}])")}
                             << "profile1: line 1: the layer \"a\" has no time";
    QTest::newRow("layers of another kind")
        << QList{kTimes, QByteArray(R"({"Layers": 5})")} << "profile2: \"Layers\" is not a list";
    QTest::newRow("layer without a name")
        << QList{kTimes, QByteArray(R"({"Layers": [{}]})")} << "profile2: layer 1 has no name";
    QTest::newRow("cut") << QList{kTimes, kLayers.left(300)} << "profile2: line 4: it is not JSON, or it is cut short";
    QTest::newRow("another program's") << QList{kTimes, pytorchTrace({})}
                                       << "profile2: it is a trace of the PyTorch profiler, which does not belong to ";
}

void TestTensorRtProfile::read_badFiles_areRefused()
{
    QFETCH(QList<QByteArray>, files);
    QFETCH(QString, reason);
    const auto profile = readContents({files.begin(), files.end()});
    QVERIFY(!profile);
    QVERIFY2(errorOf(profile.error()).contains('/' + reason), qPrintable(errorOf(profile.error())));
}

void TestTensorRtProfile::read_enginesOfOthers_haveTheSumOfTheirFile_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("layers");
    QTest::addColumn<double>("medianUs");
    const QString a100 = "NVIDIA A100 80GB PCIe";
    QTest::newRow("pytorch_A100_fp32") << a100 << 32 << 1990.72;
    QTest::newRow("pytorch_A100_fp16") << a100 << 36 << 862.183;
    QTest::newRow("pytorch_A100_qat") << a100 << 37 << 882.568;
    QTest::newRow("tensorflow_RTX-3090_fp32") << "NVIDIA GeForce RTX 3090" << 103 << 12168.2;
    QTest::newRow("tensorflow_RTX-3090_fp16") << "NVIDIA GeForce RTX 3090" << 86 << 4020.26;
}

void TestTensorRtProfile::read_enginesOfOthers_haveTheSumOfTheirFile()
{
    QFETCH(QString, device);
    QFETCH(int, layers);
    QFETCH(double, medianUs);
    std::vector<std::string> paths;
    for (const char *kind : {"profile", "graph", "profile.metadata", "build.metadata"}) {
        const QString path = sharedDataPath(QString("profiles/tensorrt/%1.%2.json").arg(QTest::currentDataTag(), kind));
        if (path.isEmpty())
            QSKIP(kNoSharedData);
        paths.push_back(path.toStdString());
    }
    const auto profile = readProfile(paths);
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(QString::fromStdString(profile->device), device);
    QCOMPARE(static_cast<int>(profile->kernels.size()), layers);
    // The same file, read by Qt: every layer is one of the file of layers, and the sum is that of the file.
    QFile file(QString::fromStdString(paths.front()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    double sumMs = 0;
    const QJsonArray entries = QJsonDocument::fromJson(file.readAll()).array();
    for (const QJsonValue &entry : entries)
        sumMs += entry.toObject()["timeMs"].toDouble();
    for (const ProfiledKernel &layer : profile->kernels)
        QVERIFY2(!layer.type.empty(), layer.name.c_str());
    const ProfileTimes times = profileTimes(*profile);
    QCOMPARE(times.times.sumNs, std::llround(sumMs * 1e6));
    QVERIFY(std::abs(*times.latencyUs - medianUs) < 0.001);
}

STAGECRAFT_SUITE(TestTensorRtProfile)

} // namespace tst_tensorrt_profile
#include "tst_tensorrt_profile.moc"
