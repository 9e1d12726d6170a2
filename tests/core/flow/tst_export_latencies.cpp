// An export contains each place in the model where a stage with a stored latency occurs.

#include "flow/export_latencies.h"
#include "schedule/stage_signature.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_latencies {

namespace {

// a and b are equal, c is not; all read the input.
Model model()
{
    GraphBuilder builder("m");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    for (const auto &[name, kind] : {std::pair{"a", ActivationKind::Relu}, std::pair{"b", ActivationKind::Relu},
                                     std::pair{"c", ActivationKind::Tanh}}) {
        Operator op;
        op.name = name;
        op.kind = OperatorKind::Activation;
        op.attributes = Activation{kind};
        op.inputs = {{x}};
        if (!builder.add(std::move(op)))
            qFatal("the test graph does not build");
    }
    Model model;
    model.graph = std::make_shared<const Graph>(builder.build().value());
    model.blocks = consecutiveBlocks(*model.graph, 1);
    model.name = "m";
    return model;
}

const MeasurementContext kContext{"x", "X", "cpu", 1, "m"};

void add(LatencyStore &store, const Model &model, const Stage &stage, double us)
{
    StageSigner signer(*model.graph);
    const RecordedStage named{stage.strategy, operatorNames(*model.graph, stage)};
    if (!store.add(kContext, signer.sign(stage), named, {us, us, 0, 9}))
        qFatal("nothing was stored");
}

QStringList linesOf(const RecordedLatencies &latencies)
{
    QStringList lines;
    for (const RecordedStage &stage : latencies.stages) {
        QStringList groups;
        for (const auto &group : stage.groups)
            groups << QString::fromStdString(group.front());
        lines << QStringLiteral("%1: %2").arg(groups.join('|')).arg(stage.timing.latencyUs);
    }
    lines.sort();
    return lines;
}

} // namespace

class TestExportLatencies : public QObject {
    Q_OBJECT

private slots:
    void exportLatencies_equalStages_areUnderEachOfTheirNames()
    {
        auto store = LatencyStore::inMemory();
        const Model model = tst_export_latencies::model();
        add(*store, model, {0, Strategy::Concurrent, {{OperatorId{0}}}}, 5);
        add(*store, model, {0, Strategy::Concurrent, {{OperatorId{0}}, {OperatorId{2}}}}, 7);
        QCOMPARE(store->exported(kContext)->stages.size(), std::size_t{2}); // all that the store itself has
        const auto latencies = exportLatencies(*store, kContext, model);
        QVERIFY(latencies);
        QCOMPARE(linesOf(*latencies), (QStringList{"a: 5", "a|c: 7", "b: 5", "b|c: 7"}));
    }

    void exportLatencies_stageOfAnotherVersion_isLeftOut()
    {
        auto store = LatencyStore::inMemory();
        const Model model = tst_export_latencies::model();
        add(*store, model, {0, Strategy::Concurrent, {{OperatorId{2}}}}, 5);
        QVERIFY(store->add(kContext, {7, 7}, {Strategy::Concurrent, {{"gone"}}}, {6, 6, 0, 9}));
        QVERIFY(store->add(kContext, {8, 8}, {Strategy::Concurrent, {{"a"}}}, {6, 6, 0, 9})); // a is different now
        QCOMPARE(linesOf(*exportLatencies(*store, kContext, model)), QStringList{"c: 5"});
    }

    void exportLatencies_wholeSchedules_areThere()
    {
        auto store = LatencyStore::inMemory();
        const Model model = tst_export_latencies::model();
        QVERIFY(store->addSchedule(kContext, {{{Strategy::Concurrent, {{"a"}, {"b"}, {"c"}}}}, {20, 20, 0.5, 40}}));
        const auto latencies = exportLatencies(*store, kContext, model);
        QVERIFY(latencies && latencies->schedules.size() == 1);
        QCOMPARE(latencies->schedules.front().whole.latencyUs, 20.0);
    }
};

STAGECRAFT_SUITE(TestExportLatencies)

} // namespace tst_export_latencies
#include "tst_export_latencies.moc"
