#include "device/recorded/profiles/profile_times.h"
#include "support/profile_making.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pytorch_profile {

class TestPyTorchProfile : public QObject {
    Q_OBJECT

private slots:
    void read_times_areWholeNanoseconds_data();
    void read_times_areWholeNanoseconds();
    void read_namesOfBothAges_areTheSame_data();
    void read_namesOfBothAges_areTheSame();
    void read_stridesAndTypes_sayLayoutAndPrecision_data();
    void read_stridesAndTypes_sayLayoutAndPrecision();
    void read_kernel_hasWhatTheFileSays();
    void read_withoutDevice_takesOutermostOperators();
    void read_steps_areIterationsByLaunch();
    void read_lostKernels_areCounted();
    void read_badEvents_areRefusedWithTheirLine_data();
    void read_badEvents_areRefusedWithTheirLine();
    void read_tracesOfOthers_open_data();
    void read_tracesOfOthers_open();
    void read_threeStreams_haveTheirOverlapAndWait();
};

// "ns beside us": whole microseconds, and with three decimals, also where the trace is to be displayed in ns.
void TestPyTorchProfile::read_times_areWholeNanoseconds_data()
{
    QTest::addColumn<QByteArray>("ts");
    QTest::addColumn<qint64>("startNs");
    QTest::newRow("whole") << QByteArray("1623142623460111") << qint64(1623142623460111000);
    QTest::newRow("three decimals") << QByteArray("4203669604595.407") << qint64(4203669604595407);
    QTest::newRow("of an epoch") << QByteArray("1735632360123456.789") << qint64(1735632360123456789);
    QTest::newRow("more decimals") << QByteArray("12.3456789") << qint64(12346);
    QTest::newRow("exponent") << QByteArray("1.25e3") << qint64(1250000);
    QTest::newRow("before zero") << QByteArray("-3.5") << qint64(-3500);
}

void TestPyTorchProfile::read_times_areWholeNanoseconds()
{
    QFETCH(QByteArray, ts);
    QFETCH(qint64, startNs);
    QByteArray trace = pytorchTrace({pytorchKernel("a", ts, "1.76")});
    trace.replace(R"("schemaVersion": 1)", R"("schemaVersion": 1, "displayTimeUnit": "ns")");
    const auto profile = readContents({trace});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(profile->kernels.size(), 1U);
    QCOMPARE(qint64(*profile->kernels[0].startNs), startNs);
    QCOMPARE(profile->kernels[0].durationNs, 1760);
}

void TestPyTorchProfile::read_namesOfBothAges_areTheSame_data()
{
    QTest::addColumn<QByteArray>("kernel");
    QTest::addColumn<QByteArray>("op");
    QTest::addColumn<QByteArray>("id");
    QTest::newRow("since 2022") << QByteArray("kernel") << QByteArray("cpu_op") << QByteArray("External id");
    QTest::newRow("before") << QByteArray("Kernel") << QByteArray("Operator") << QByteArray("external id");
}

void TestPyTorchProfile::read_namesOfBothAges_areTheSame()
{
    QFETCH(QByteArray, kernel);
    QFETCH(QByteArray, op);
    QFETCH(QByteArray, id);
    QByteArray ran = pytorchKernel("volta_scudnn", "100", "5", 7, '"' + id + R"(": 544)");
    ran.replace("\"kernel\"", '"' + kernel + '"');
    const auto profile = readContents(
        {pytorchTrace({pytorchSpan(op, "aten::cudnn_convolution", 90, 5,
                                   R"("External id": 544, "Input Dims": [[32, 3, 224, 224], [64, 3, 7, 7], [], []])"),
                       ran})});
    QVERIFY(profile);
    QCOMPARE(profile->format, std::string("pytorch"));
    QCOMPARE(profile->device, std::string("GPU of a test"));
    QCOMPARE(profile->hostOperators.size(), 1U);
    QCOMPARE(profile->kernels[0].hostOperator, 0U);
    QCOMPARE(profile->hostOperators[0].name, std::string("aten::cudnn_convolution"));
    const auto &shapes = profile->hostOperators[0].inputShapes;
    QCOMPARE(shapes.size(), 4U);
    QVERIFY(shapes[0] == (ProfiledShape{32, 3, 224, 224}) && shapes[1] == (ProfiledShape{64, 3, 7, 7}));
}

void TestPyTorchProfile::read_stridesAndTypes_sayLayoutAndPrecision_data()
{
    QTest::addColumn<QByteArray>("sizes");
    QTest::addColumn<QByteArray>("strides");
    QTest::addColumn<QString>("layout");
    QTest::newRow("channels first") << QByteArray("[2, 3, 4, 5]") << QByteArray("[60, 20, 5, 1]") << "NCHW";
    QTest::newRow("channels last") << QByteArray("[2, 3, 4, 5]") << QByteArray("[60, 1, 15, 3]") << "NHWC";
    QTest::newRow("one channel") << QByteArray("[2, 1, 4, 5]") << QByteArray("[20, 20, 5, 1]") << "";
    QTest::newRow("one pixel") << QByteArray("[2, 3, 1, 1]") << QByteArray("[3, 1, 1, 1]") << "";
    QTest::newRow("a view") << QByteArray("[2, 3, 4, 5]") << QByteArray("[120, 40, 5, 1]") << "";
    QTest::newRow("a matrix") << QByteArray("[2, 3]") << QByteArray("[3, 1]") << "";
    QTest::newRow("not said") << QByteArray("[2, 3, 4, 5]") << QByteArray() << "";
}

void TestPyTorchProfile::read_stridesAndTypes_sayLayoutAndPrecision()
{
    QFETCH(const QByteArray, sizes);
    QFETCH(const QByteArray, strides);
    QFETCH(const QString, layout);
    QByteArray args =
        R"("External id": 5, "Input type": ["c10::Half", "float", ""], "Input Dims": [)" + sizes + ", []]";
    if (!strides.isEmpty())
        args += R"(, "Input Strides": [)" + strides + ", []]";
    const auto profile = readContents({pytorchTrace({pytorchSpan("cpu_op", "aten::conv2d", 90, 5, args),
                                                     pytorchKernel("k", "100", "5", 7, R"("External id": 5)")})});
    QVERIFY(profile);
    QCOMPARE(profile->kernels[0].precision, std::string("c10::Half"));
    QCOMPARE(QString::fromStdString(profile->kernels[0].layout), layout);
}

void TestPyTorchProfile::read_kernel_hasWhatTheFileSays()
{
    const auto profile = readContents({pytorchTrace({pytorchKernel(
        "sgemm", "10", "3", 20,
        R"("correlation": 27, "graph node id": 81, "grid": [8, 16, 5], "block": [128, 1, 1], "registers per thread": 122, "shared memory": 12544)")})});
    QVERIFY(profile);
    const ProfiledKernel &kernel = profile->kernels.front();
    QCOMPARE(profile->streams[kernel.stream].name, std::string("stream 20"));
    QVERIFY(kernel.correlation == 27 && kernel.graphNode == 81);
    QVERIFY(kernel.grid == (std::array<std::int64_t, 3>{8, 16, 5}));
    QVERIFY(kernel.block == (std::array<std::int64_t, 3>{128, 1, 1}));
    QCOMPARE(kernel.registersPerThread, 122);
    QCOMPARE(kernel.sharedBytes, 12544);
    QCOMPARE(profile->files.size(), 1U);
    QCOMPARE(profile->files[0].sha256.size(), 64U);
}

void TestPyTorchProfile::read_withoutDevice_takesOutermostOperators()
{
    const auto profile = readContents({pytorchTrace({pytorchSpan("cpu_op", "aten::conv2d", 10, 100),
                                                     pytorchSpan("cpu_op", "aten::convolution", 12, 90),
                                                     pytorchSpan("cpu_op", "aten::relu", 120, 5)})});
    QVERIFY(profile);
    QCOMPARE(profile->kernels.size(), 2U);
    QCOMPARE(profile->kernels[0].name, std::string("aten::conv2d"));
    QVERIFY(profile->kernels[0].kind == ProfiledKind::Node);
    QCOMPARE(profile->kernels[1].name, std::string("aten::relu"));
    QVERIFY(profile->missing.contains("device"));
}

// The host runs ahead: what a step launched may run within the next.
void TestPyTorchProfile::read_steps_areIterationsByLaunch()
{
    const auto profile =
        readContents({pytorchTrace({pytorchSpan("user_annotation", "ProfilerStep#1", 0, 100),
                                    pytorchSpan("user_annotation", "ProfilerStep#2", 100, 100),
                                    pytorchSpan("cuda_runtime", "cudaLaunchKernel", 90, 2, R"("correlation": 1)"),
                                    pytorchSpan("cuda_runtime", "cudaLaunchKernel", 150, 2, R"("correlation": 2)"),
                                    pytorchKernel("late", "130", "5", 7, R"("correlation": 1)"),
                                    pytorchKernel("next", "160", "5", 7, R"("correlation": 2)")})});
    QVERIFY(profile);
    QCOMPARE(profile->iterations.size(), 2U);
    QCOMPARE(profile->kernels[0].iteration, 0U);
    QCOMPARE(profile->kernels[1].iteration, 1U);
}

void TestPyTorchProfile::read_lostKernels_areCounted()
{
    const auto profile =
        readContents({pytorchTrace({pytorchSpan("cuda_runtime", "cudaLaunchKernel", 1, 2, R"("correlation": 1)"),
                                    pytorchSpan("cuda_runtime", "cudaLaunchKernel", 5, 2, R"("correlation": 2)"),
                                    pytorchSpan("cuda_runtime", "cudaDeviceSynchronize", 9, 2, R"("correlation": 3)"),
                                    pytorchKernel("second", "20", "5", 7, R"("correlation": 2)")})});
    QVERIFY(profile);
    QCOMPARE(profile->launchesWithoutKernel, 1);
}

void TestPyTorchProfile::read_badEvents_areRefusedWithTheirLine_data()
{
    QTest::addColumn<QByteArray>("event");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no time") << QByteArray(R"({"ph": "X", "cat": "kernel", "name": "a"})")
                             << "line 3: \"ts\" of the event \"a\" is not a time in microseconds";
    QTest::newRow("text for a time") << pytorchKernel("a", "\"1\"", "1")
                                     << "line 3: \"ts\" of the event \"a\" is not a time in microseconds";
    QTest::newRow("out of range") << pytorchKernel("a", "99999999999999999999", "1")
                                  << "line 3: \"ts\" of the event \"a\" is not a time in microseconds";
    QTest::newRow("ends early") << pytorchKernel("a", "5", "-1") << "line 3: the event \"a\" ends before it begins";
    QTest::newRow("no object") << QByteArray("12") << "line 3: event 2 is not an object";
    QTest::newRow("cut short") << QByteArray(R"({"ph": "X", "cat": )") << "line 4: it is not JSON, or it is cut short";
    QTest::newRow("deep") << R"({"ph": "X", "args": {"a": )" + QByteArray(100000, '[') + QByteArray(100000, ']') + "}}"
                          << "line 3: event 2 is nested too deeply";
}

void TestPyTorchProfile::read_badEvents_areRefusedWithTheirLine()
{
    QFETCH(QByteArray, event);
    QFETCH(QString, reason);
    const auto profile = readContents({pytorchTrace({pytorchKernel("first", "1", "1"), event})});
    QVERIFY(!profile);
    QVERIFY2(errorOf(profile.error()).endsWith("profile1: " + reason), qPrintable(errorOf(profile.error())));
    QVERIFY(profile.error().code == ErrorCode::InvalidInput);
}

void TestPyTorchProfile::read_tracesOfOthers_open_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("kernels");
    QTest::addColumn<int>("iterations");
    QTest::newRow("a100_three_streams") << "NVIDIA A100-PG509-200" << 3 << 0;
    QTest::newRow("a100_alexnet") << "NVIDIA A100-PG509-200" << 79 << 0;
    QTest::newRow("v100_resnet50_train") << "Tesla V100-DGXS-32GB" << 8772 << 6;
    QTest::newRow("mi250") << "AMD Radeon Graphics" << 14 << 2;
    QTest::newRow("triton") << "NVIDIA A100-PG509-200" << 1 << 1;
    QTest::newRow("cpu_only") << "" << 4 << 1;
}

void TestPyTorchProfile::read_tracesOfOthers_open()
{
    QFETCH(QString, device);
    QFETCH(int, kernels);
    const QString path = sharedDataPath(QString("profiles/pytorch/%1.json.gz").arg(QTest::currentDataTag()));
    if (path.isEmpty())
        QSKIP(kNoSharedData);
    const auto profile = readProfile(std::vector{path.toStdString()});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(QString::fromStdString(profile->device), device);
    const auto counted = std::ranges::count_if(profile->kernels, [](const ProfiledKernel &kernel) {
        return kernel.kind == ProfiledKind::Kernel || kernel.kind == ProfiledKind::Node;
    });
    QCOMPARE(static_cast<int>(counted), kernels);
    QTEST(static_cast<int>(profile->iterations.size()), "iterations");
    QVERIFY(std::ranges::is_sorted(profile->kernels, {}, &ProfiledKernel::startNs));
}

// Three products of 123 us on streams 20, 28 and, by an event, behind the first on 24.
void TestPyTorchProfile::read_threeStreams_haveTheirOverlapAndWait()
{
    const QString path = sharedDataPath("profiles/pytorch/a100_three_streams.json.gz");
    if (path.isEmpty())
        QSKIP(kNoSharedData);
    const auto profile = readProfile(std::vector{path.toStdString()});
    QVERIFY(profile);
    QStringList streams;
    for (const ProfiledKernel &kernel : profile->kernels) {
        if (kernel.kind != ProfiledKind::Kernel)
            continue;
        QCOMPARE(kernel.name, std::string("ampere_sgemm_128x64_nn"));
        QCOMPARE(kernel.durationNs, 123'000);
        streams << QString::fromStdString(profile->streams[kernel.stream].name);
    }
    QCOMPARE(streams, QStringList({"stream 20", "stream 28", "stream 24"}));
    const ProfileTimes times = profileTimes(*profile);
    QCOMPARE(times.runs.runs.size(), 1U);
    QCOMPARE(times.times.sumNs, 369'000);
    QVERIFY(times.times.busyNs == 369'000 && times.times.overlapNs == 0);
    QCOMPARE(*times.times.spanNs, 19'473'000);
    const KernelChain chain = longestChain(*profile, times.runs.runs.front());
    QVERIFY(chain.followsEvents);
    QCOMPARE(chain.lengthNs, 246'000);
    QCOMPARE(profile->streams[profile->kernels[chain.kernels[1]].stream].name, std::string("stream 24"));
}

STAGECRAFT_SUITE(TestPyTorchProfile)

} // namespace tst_pytorch_profile
#include "tst_pytorch_profile.moc"
