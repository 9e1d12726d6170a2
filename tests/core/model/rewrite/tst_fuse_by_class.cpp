// Units of several operators: which operators become one, and the graph with them in place again.

#include "device/simulated/device_description.h"
#include "device/simulated/lowering.h"
#include "graph/expanded_graph.h"
#include "graph/operator_cost.h"
#include "schedule/stage_signature.h"
#include "support/device_networks.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_fuse_by_class {

namespace {

// A residual module: two convolutions with a Relu behind each, the sum before the second; a pool over a sigmoid.
std::shared_ptr<const Graph> residual()
{
    NetworkMaker m(Shape{{1, 8, 10, 10}});
    const TensorId first = m.activation({{m.conv({{m.x()}}, 8, window(3))}}, kRelu);
    const TensorId second = m.conv({{first}}, 8, window(3));
    const TensorId sum = m.activation({{m.join({{second, first}})}}, kRelu);
    PoolAttributes pool;
    pool.window = window(3);
    m.pool({{m.activation({{sum}}, Activation{ActivationKind::Sigmoid})}}, pool);
    m.join({{sum}, {first}});
    return m.build();
}

FormedUnits tvmUnits()
{
    auto formed = formUnits(Graph(*residual()), {}, {.units = Units::Tvm, .without = {}});
    if (!formed)
        qFatal("%s", formed.error().message.c_str());
    return std::move(*formed);
}

} // namespace

class TestFuseByClass : public QObject {
    Q_OBJECT

private slots:
    void fuseByClass_residual_joinsByClass();
    void fuseByClass_residual_reportsWhatWentWhere();
    void fuseByClass_keptApart_staysApart();
    void fuseByClass_unit_costsWhatItsOperatorsDo();
    void fuseByClass_unit_isOneKernelOnASimulatedDevice();
    void expandUnits_fused_hasEveryOperatorAgain();
    void expandUnits_nothingFused_isTheSame();
};

void TestFuseByClass::fuseByClass_residual_joinsByClass()
{
    // The first Relu is read three times, so the unit ends with it; the concat moves values, so it stays alone.
    QCOMPARE(listing(tvmUnits().graph),
             QString("Conv0:Conv-Relu Conv2:Conv-Add-Relu Pool6:Sigmoid-MaxPool Join7:Concat"));
}

void TestFuseByClass::fuseByClass_residual_reportsWhatWentWhere()
{
    const FormedUnits formed = tvmUnits();
    const PassReport &report = *std::ranges::find(formed.reports, "fuse-by-class", &PassReport::pass);
    QStringList changes;
    for (const PassChange &change : report.changes)
        changes << QString::fromStdString(change.name + ">" + formed.graph.op(change.unit).name);
    changes.sort();
    QCOMPARE(changes.join(' '), QString("Activation1>Conv0 Activation4>Conv2 Activation5>Pool6 Join3>Conv2"));
}

void TestFuseByClass::fuseByClass_keptApart_staysApart()
{
    const auto formed = formUnits(Graph(*residual()), {"Join3"}, {.units = Units::Tvm, .without = {}});
    QVERIFY(formed);
    QVERIFY(formed->graph.find("Join3").has_value());
    const auto none = formUnits(Graph(*residual()), {}, {.units = Units::None, .without = {}});
    QCOMPARE(none->graph.size(), residual()->size());
}

void TestFuseByClass::fuseByClass_unit_costsWhatItsOperatorsDo()
{
    const auto graph = residual();
    const Graph fused = tvmUnits().graph;
    double expected = 0;
    for (const char *name : {"Conv2", "Join3", "Activation4"})
        expected += flops(*graph, graph->find(name).value());
    QCOMPARE(flops(fused, fused.find("Conv2").value()), expected);
    // Not moved again: the output of the convolution, and that of the sum.
    double bytes = 0;
    for (const char *name : {"Conv2", "Join3", "Activation4"})
        bytes += memoryBytes(*graph, graph->find(name).value());
    QCOMPARE(memoryBytes(fused, fused.find("Conv2").value()), bytes - 5 * 4.0 * 8 * 10 * 10);
    StageSigner signer(fused);
    QVERIFY(signer.sign({0, Strategy::Concurrent, {{OperatorId::fromIndex(0)}}}) !=
            signer.sign({0, Strategy::Concurrent, {{OperatorId::fromIndex(1)}}}));
}

void TestFuseByClass::fuseByClass_unit_isOneKernelOnASimulatedDevice()
{
    const Graph fused = tvmUnits().graph;
    Lowering lowering(builtInDeviceDescriptions().front());
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(lowering.lower(fused, OperatorId::fromIndex(i), DataType::Float32).size(), std::size_t{1});
}

void TestFuseByClass::expandUnits_fused_hasEveryOperatorAgain()
{
    const auto graph = residual();
    const Graph fused = tvmUnits().graph;
    QVERIFY(hasFusedUnits(fused));
    const ExpandedGraph expanded = expandUnits(fused);
    QCOMPARE(expanded.graph->size(), graph->size());
    for (const Operator &op : graph->operators()) {
        const auto id = expanded.graph->find(op.name);
        QVERIFY2(id, op.name.c_str());
        QVERIFY(expanded.graph->op(*id).attributes == op.attributes);
        QCOMPARE(expanded.graph->op(*id).inputs.size(), op.inputs.size());
        for (std::size_t part = 0; part < op.inputs.size(); ++part) {
            for (std::size_t i = 0; i < op.inputs[part].size(); ++i)
                QCOMPARE(expanded.graph->tensor(expanded.graph->op(*id).inputs[part][i]).name,
                         graph->tensor(op.inputs[part][i]).name);
        }
    }
    const OperatorId unit = fused.find("Conv2").value();
    QCOMPARE(expanded.expanded({unit}).size(), std::size_t{3});
    for (const OperatorId part : expanded.parts[unit.index()])
        QCOMPARE(expanded.units[part.index()], unit);
}

void TestFuseByClass::expandUnits_nothingFused_isTheSame()
{
    const auto graph = residual();
    QVERIFY(!hasFusedUnits(*graph));
    QCOMPARE(listing(*expandUnits(*graph).graph), listing(*graph));
}

STAGECRAFT_SUITE(TestFuseByClass)

} // namespace tst_fuse_by_class
#include "tst_fuse_by_class.moc"
