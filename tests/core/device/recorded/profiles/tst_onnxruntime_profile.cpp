#include "device/recorded/profiles/profile_times.h"
#include "support/profile_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnxruntime_profile {

namespace {

// In microseconds.
QByteArray event(const char *category, const QByteArray &name, int ts, int dur, const QJsonObject &args)
{
    const QJsonObject object{{"cat", category},       {"pid", 1},    {"tid", 1}, {"ts", ts}, {"dur", dur}, {"ph", "X"},
                             {"name", QString(name)}, {"args", args}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QByteArray session(const QByteArray &name, int ts, int dur)
{
    return event("Session", name, ts, dur, {});
}

QByteArray node(const QByteArray &name, int ts, int dur, const QString &provider = "CPUExecutionProvider")
{
    const auto shape = [](const QJsonArray &sizes) { return QJsonObject{{"float", sizes}}; };
    return event("Node", name, ts, dur,
                 {{"op_name", "Conv"},
                  {"provider", provider},
                  {"input_type_shape", QJsonArray{shape({1, 3, 8, 8}), shape({4, 3, 1, 1})}},
                  {"output_type_shape", QJsonArray{QJsonObject{{"float16", QJsonArray{1, 4, 8, 8}}}}}});
}

QByteArray kernelOf(const QString &parent, int ts, int dur)
{
    return event("Kernel", "sgemm", ts, dur, {{"stream", "7"}, {"op_name", "Conv"}, {"parent_name", parent}});
}

QByteArray profileWith(const QList<QByteArray> &events)
{
    return "[\n" + events.join(",\n") + "\n]\n";
}

} // namespace

class TestOnnxRuntimeProfile : public QObject {
    Q_OBJECT

private slots:
    void read_nodes_haveNameTypeAndShapes();
    void read_runs_areIterationsWithTheirLatency();
    void read_nodesOnGpu_haveTimesOfTheHost();
    void read_kernels_takeThePlaceOfTheirNodes();
    void read_badEvent_isRefusedWithItsLine();
};

void TestOnnxRuntimeProfile::read_nodes_haveNameTypeAndShapes()
{
    const auto profile = readContents({profileWith(
        {session("model_loading_uri", 0, 10), node("conv1_kernel_time", 20, 7), node("conv1_fence_before", 19, 1)})});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(profile->format, std::string("onnxruntime"));
    QCOMPARE(profile->kernels.size(), 1U);
    const ProfiledKernel &conv = profile->kernels[0];
    QCOMPARE(conv.name, std::string("conv1"));
    QCOMPARE(conv.type, std::string("Conv"));
    QVERIFY(conv.startNs == 20'000 && conv.durationNs == 7'000);
    QVERIFY(conv.inputShapes.at(1) == (ProfiledShape{4, 3, 1, 1}));
    QVERIFY(conv.outputShapes.at(0) == (ProfiledShape{1, 4, 8, 8}));
    QCOMPARE(conv.precision, std::string("float16"));
    QVERIFY(conv.layout.empty());
    QVERIFY(profile->missing.contains("device"));
}

void TestOnnxRuntimeProfile::read_runs_areIterationsWithTheirLatency()
{
    QList<QByteArray> events{session("session_initialization", 0, 10)};
    for (const int begin : {100, 200, 300}) { // a run is written behind its nodes
        events << node("a_kernel_time", begin + 1, 10) << node("b_kernel_time", begin + 20, 30)
               << session("model_run", begin, 60 + begin / 100);
    }
    const auto profile = readContents({profileWith(events)});
    QVERIFY(profile);
    const ProfileTimes times = profileTimes(*profile);
    QVERIFY(times.runs.foundBy == ProfiledRuns::FoundBy::Marks);
    QCOMPARE(times.runs.runs.size(), 3U);
    QCOMPARE(*times.latencyUs, 62.0);
    QVERIFY(times.spread->leastUs == 61 && times.spread->mostUs == 63 && times.spread->stddevUs == 1.0);
    QCOMPARE(times.times.sumNs, 40'000);
    QVERIFY(times.times.spanNs == 49'000 && times.times.gapsNs == 9'000);
    double latencyUs = 40;
    for (const TimeDifference &difference : times.differences)
        latencyUs += difference.us;
    QCOMPARE(latencyUs, 62.0);
    QVERIFY(times.differences.back().cause == TimeCause::Host);
    QCOMPARE(times.differences.back().us, 13.0);
}

// The call returns before the kernel has run: what lies between two calls is no gap of the device.
void TestOnnxRuntimeProfile::read_nodesOnGpu_haveTimesOfTheHost()
{
    const auto profile =
        readContents({profileWith({session("model_run", 0, 100), node("a_kernel_time", 1, 10, "CUDAExecutionProvider"),
                                   node("b_kernel_time", 20, 10, "CUDAExecutionProvider")})});
    QVERIFY(profile && profile->isHostTimeOfDevice);
    const ProfileTimes times = profileTimes(*profile);
    QCOMPARE(times.times.sumNs, 20'000);
    QVERIFY(!times.times.busyNs && !times.times.overlapNs && !times.times.gapsNs);
    QVERIFY(longestChain(*profile, times.runs.runs.front()).kernels.empty());
    QCOMPARE(*times.latencyUs, 100.0);
}

void TestOnnxRuntimeProfile::read_kernels_takeThePlaceOfTheirNodes()
{
    const auto profile = readContents({profileWith({node("a_kernel_time", 1, 10, "CUDAExecutionProvider"),
                                                    kernelOf("a_kernel_time", 8, 25), session("model_run", 0, 50)})});
    QVERIFY(profile && !profile->isHostTimeOfDevice);
    QCOMPARE(profile->kernels.size(), 1U);
    QCOMPARE(profile->kernels[0].durationNs, 25'000);
    QCOMPARE(profile->hostOperators.at(profile->kernels[0].hostOperator).name, std::string("a"));
}

void TestOnnxRuntimeProfile::read_badEvent_isRefusedWithItsLine()
{
    QByteArray bad = node("a_kernel_time", 1, 10);
    bad.replace("\"ts\":1", "\"ts\":\"soon\"");
    const auto profile = readContents({profileWith({session("model_run", 0, 5), bad})});
    QVERIFY(!profile);
    QVERIFY2(errorOf(profile.error())
                 .endsWith("profile1: line 3: \"ts\" of the event \"a_kernel_time\" is not a time in microseconds"),
             qPrintable(errorOf(profile.error())));
}

STAGECRAFT_SUITE(TestOnnxRuntimeProfile)

} // namespace tst_onnxruntime_profile
#include "tst_onnxruntime_profile.moc"
