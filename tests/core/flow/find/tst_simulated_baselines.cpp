// Baselines and bounds on simulated devices: launches of both kinds, what TensorRT measured, and what a schedule
// without barriers could save.

#include "device/simulated/simulated_device.h"
#include "flow/find/baselines_in_rounds.h"
#include "flow/find/one_cuda_graph.h"
#include "flow/find_schedule.h"
#include "flow/open_model.h"
#include "search/search_words.h"
#include "support/shared_data.h"
#include "support/suite.h"
#include "timing/simulator_version.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_simulated_baselines {

namespace {

FoundSchedule sequentialOn(const Model &model, const std::string &name)
{
    const auto device = take(openSimulatedDevice(name));
    const auto session = take(device->open(model.graph));
    return take(measuredBaseline(ScheduleKind::Sequential, model, *session, device->info(), {}));
}

} // namespace

class TestSimulatedBaselines : public QObject {
    Q_OBJECT

private slots:
    void sequentialInOneCudaGraph_whereTheHostLaunches_isMeasured();
    void tensorRt_resNet18_takesAsLong_data();
    void tensorRt_resNet18_takesAsLong();
    void findSchedule_onASimulatedDevice_saysWhatIsProved();
};

void TestSimulatedBaselines::sequentialInOneCudaGraph_whereTheHostLaunches_isMeasured()
{
    const Model model = take(openModel({.spec = "squeezenet"})).model;
    const auto inGraph = [&](const std::string &name) {
        return take(sequentialInOneCudaGraph(model, take(openSimulatedDevice(name))->info(), {}));
    };
    const auto v100 = inGraph("v100*launch_us=5");
    QVERIFY(v100.has_value());
    QCOMPARE(v100->device, std::string("sim:v100:graph*launch_us=5"));
    QCOMPARE(v100->latencyUs, *sequentialOn(model, "v100:graph*launch_us=5").schedule.latencyUs());
    QCOMPARE(inGraph("a100:fp16:host")->device, std::string("sim:a100:fp16"));
    QVERIFY(!inGraph("a100"));
    QVERIFY(!inGraph("v100*graph_kernel_us=0"));
}

void TestSimulatedBaselines::tensorRt_resNet18_takesAsLong_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("first"); // its first layer, too, which used no TF32: 522 us
    QTest::addColumn<double>("us");
    QTest::addColumn<double>("within");
    QTest::newRow("fp16") << ":fp16" << true << 862.77 << 0.15;            // "GPU Compute Time" of pytorch_A100_fp16
    QTest::newRow("tf32") << "" << false << 1556.0 << 0.20;                // layers of pytorch_A100_fp32
    QTest::newRow("tf32, with the first") << "" << true << 1991.0 << 0.15; // "GPU Compute Time"
    QTest::newRow("tf32 of products, too") << ":tf32" << false << 1556.0 << 0.20;
}

// An A100 80GB PCIe, batch 32. No constant of the device comes from these files.
void TestSimulatedBaselines::tensorRt_resNet18_takesAsLong()
{
    QFETCH(const QString, options);
    QFETCH(const bool, first);
    QFETCH(const double, us);
    QFETCH(const double, within);
    const QString file = sharedDataPath("profiles/tensorrt/resnet18.onnx");
    if (file.isEmpty())
        QSKIP(kNoSharedData);
    const Model model =
        take(openModel({.spec = file.toStdString(), .batch = 32, .reading = {.units = Units::Tvm}})).model;
    const FoundSchedule made = sequentialOn(model, "a100" + options.toStdString() + "*dram_gb_per_second=1935");
    const double firstUs = first ? 0 : made.schedule.measured.stages.front().latencyUs;
    const double simulatedUs = *made.schedule.latencyUs() - firstUs;
    QVERIFY2(std::abs(simulatedUs / us - 1) < within, qPrintable(QStringLiteral("%1 us").arg(simulatedUs)));
}

void TestSimulatedBaselines::findSchedule_onASimulatedDevice_saysWhatIsProved()
{
    const Model model = take(openModel({.spec = "sample"})).model;
    const auto device = take(openSimulatedDevice("v100"));
    const auto session = take(device->open(model.graph));
    SearchRequest request{.kind = ScheduleKind::IosParallel};
    request.options.r = 3;
    request.options.s = 8;
    const FoundSchedule found = take(findSchedule(model, *session, device->info(), request, {}, {}));
    const SearchRecord &record = found.schedule.search;
    QCOMPARE(outcomeText(record), std::string("best schedule with barriers (r 3, s 8, no merges)"));
    QVERIFY(record.boundWithoutBarriersUs && *record.boundWithoutBarriersUs <= *found.schedule.latencyUs());
    QVERIFY(withoutBarriersText(record).ends_with(" % less"));
    QCOMPARE(found.schedule.context.deviceVersion, simulatorVersion());
}

STAGECRAFT_SUITE(TestSimulatedBaselines)

} // namespace tst_simulated_baselines
#include "tst_simulated_baselines.moc"
