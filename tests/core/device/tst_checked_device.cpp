// Devices whose outputs are compared with those of another one before they measure.

#include "device/checked_device.h"
#include "device/cpu/cpu_device.h"
#include "device/simulated/simulated_device.h"
#include "operators/parameter_values.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_checked_device {

namespace {

std::shared_ptr<const Graph> oneConvolution()
{
    GraphBuilder builder("g");
    const TensorId x = take(builder.addInput("x", Shape{{1, 4, 8, 8}}));
    Operator made = conv("conv", {{x}}, 4, 3);
    made.parameters = {seededParameter("weight", "conv", {4, 4, 3, 3})};
    take(builder.add(made));
    return std::make_shared<const Graph>(take(builder.build()));
}

} // namespace

class TestCheckedDevice : public QObject {
    Q_OBJECT

private slots:
    void measure_comparedOnce_saysWhereItCannot_data()
    {
        QTest::addColumn<bool>("computes"); // the reference
        QTest::addColumn<double>("mostFlops");
        QTest::addColumn<QStringList>("told");
        QTest::newRow("the same outputs") << true << 1e9 << QStringList();
        QTest::newRow("no outputs to compare with")
            << false << 1e9 << QStringList{"the outputs of cpu were not compared with those of sim:v100: "};
        QTest::newRow("too much work") << true << 1.0
                                       << QStringList{
                                              "the outputs of cpu were not compared with those of another device: that "
                                              "would take it long (0 GFLOP)"};
    }

    void measure_comparedOnce_saysWhereItCannot()
    {
        QFETCH(const bool, computes);
        QFETCH(const double, mostFlops);
        QFETCH(const QStringList, told);
        int references = 0;
        QStringList notices;
        OutputCheck check;
        check.mostFlops = mostFlops;
        check.tell = [&](const std::string &text) { notices << QString::fromStdString(text); };
        check.reference = [&] {
            ++references;
            return computes ? makeCpuDevice() : take(openSimulatedDevice("v100"));
        };
        const auto device = checkedDevice(makeCpuDevice(), check);
        const auto session = take(device->open(oneConvolution()));
        for (int i = 0; i < 2; ++i)
            QVERIFY(session->measureStage(stageAlone(OperatorId{0}), {}));
        QVERIFY(references <= 1);
        QCOMPARE(notices.size(), told.size());
        for (qsizetype i = 0; i < told.size(); ++i)
            QVERIFY2(notices[i].startsWith(told[i]), qPrintable(notices[i]));
    }

    void measure_equalBefore_isNotComparedAgain()
    {
        int references = 0;
        std::set<std::string> equal;
        OutputCheck check;
        check.reference = [&] {
            ++references;
            return makeCpuDevice();
        };
        check.digest = [](const Graph &graph) { return graph.name(); };
        check.wereEqual = [&](const std::string &digest) { return equal.contains(digest); };
        check.keepEqual = [&](const std::string &digest) { equal.insert(digest); };
        const auto device = checkedDevice(makeCpuDevice(), check);
        for (int i = 0; i < 2; ++i)
            QVERIFY(take(device->open(oneConvolution()))->measureStage(stageAlone(OperatorId{0}), {}));
        QCOMPARE(references, 1);
        QCOMPARE(equal, std::set<std::string>{"g"});
        check.wereEqual = [](const std::string &) { return false; };
        QVERIFY(take(checkedDevice(makeCpuDevice(), check)->open(oneConvolution()))
                    ->measureStage(stageAlone(OperatorId{0}), {}));
        QCOMPARE(references, 2);
    }
};

STAGECRAFT_SUITE(TestCheckedDevice)

} // namespace tst_checked_device
#include "tst_checked_device.moc"
