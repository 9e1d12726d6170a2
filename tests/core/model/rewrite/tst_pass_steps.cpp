// The graph before and after each pass: the steps follow each other from what was read to the units.

#include "operators/schema.h"
#include "support/device_networks.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pass_steps {

namespace {

const Activation kSigmoid{ActivationKind::Sigmoid, 0, 0};

// Convolutions with activations behind and before them, a gate, sums in a concat, and a pool that nothing needs.
std::shared_ptr<const Graph> network()
{
    NetworkMaker m(Shape{{1, 8, 10, 10}});
    const TensorId first = m.activation({{m.conv({{m.x()}}, 8, window(3))}}, kRelu);
    const TensorId second = m.conv({{first}}, 8, window(3));
    const TensorId sum = m.join({{second, first}});
    const TensorId third = m.conv({{m.activation({{sum}}, kRelu)}}, 8, window(1));
    m.activation({{third}}, kSigmoid);
    PoolAttributes pool;
    pool.window = window(3);
    m.pool({{first}}, pool);
    m.join({{sum}, {m.join({{third, first}})}});
    const auto built = m.build();
    Graph::Parts parts = Graph(*built).take();
    parts.outputs.resize(1);
    parts.outputs.front() = parts.operators.back().outputs.front();
    return std::make_shared<const Graph>(Graph::fromParts(std::move(parts)));
}

QString changesOf(const PassStep &step)
{
    QStringList changes;
    for (const OperatorId id : step.gone) {
        const OperatorId into = step.becomes[id.index()];
        changes << QString::fromStdString(step.before->op(id).name + ">" +
                                          (into.isValid() ? step.after->op(into).name : ""));
    }
    return changes.join(' ');
}

} // namespace

class TestPassSteps : public QObject {
    Q_OBJECT

private slots:
    void passSteps_allPasses_leadFromTheFileToTheUnits_data();
    void passSteps_allPasses_leadFromTheFileToTheUnits();
    void passSteps_fuseActivations_saysWhatBecomesWhat();
    void passSteps_removeDead_hasItsTwoRuns();
    void passSteps_passThatDoesNotRun_hasNone();
    void passSteps_graphs_holdNoWeights();
    void stepBetween_readings_matchesByName();
};

void TestPassSteps::passSteps_allPasses_leadFromTheFileToTheUnits_data()
{
    QTest::addColumn<Units>("units");
    for (const Units units : {Units::Ios, Units::Tvm, Units::None})
        QTest::addRow("%s", std::string(toString(units)).c_str()) << units;
}

void TestPassSteps::passSteps_allPasses_leadFromTheFileToTheUnits()
{
    QFETCH(const Units, units);
    const auto graph = network();
    const Reading reading{.units = units, .without = {}};
    const auto formed = formUnits(Graph(*graph), {}, reading);
    QVERIFY(formed);
    const auto asRead = formUnits(Graph(*graph), {}, {.units = Units::None, .without = {"remove-dead"}});
    QString left = listing(asRead->graph); // what the next pass finds
    std::vector<PassStep> last;
    std::size_t changes = 0;
    for (const PassReport &report : formed->reports) {
        const auto steps = passSteps(Graph(*graph), {}, reading, report.pass);
        std::size_t gone = 0;
        for (const PassStep &step : steps) {
            if (&step == &steps.front()) { // a second run of remove-dead comes at the end
                QCOMPARE(listing(*step.before), left);
                left = listing(*step.after);
            } else {
                last.push_back(step);
            }
            QCOMPARE(step.becomes.size(), step.before->size());
            QCOMPARE(step.units.size(), step.after->size());
            gone += step.gone.size();
            for (std::size_t i = 0; i < step.after->size(); ++i) {
                const Operator &op = step.after->operators()[i];
                const OperatorId unit = step.units[i];
                QVERIFY(!unit.isValid() || unit.index() < formed->graph.size());
                if (const auto same = formed->graph.find(op.name))
                    QVERIFY(unit == *same);
            }
        }
        QCOMPARE(gone, report.changes.size());
        changes += gone;
    }
    for (const PassStep &step : last)
        left = listing(*step.after);
    QVERIFY(changes > 0);
    QCOMPARE(left, listing(formed->graph));
}

void TestPassSteps::passSteps_fuseActivations_saysWhatBecomesWhat()
{
    const auto graph = network();
    const auto steps = passSteps(Graph(*graph), {}, {}, "fuse-activations");
    QCOMPARE(steps.size(), std::size_t(1));
    QCOMPARE(changesOf(steps.front()), QString("Activation1>Conv0"));
    const Graph &after = *steps.front().after;
    QCOMPARE(displayType(after.op(*after.find("Conv0"))), std::string("Conv-Relu"));
    QCOMPARE(displayType(steps.front().before->op(*steps.front().before->find("Conv0"))), std::string("Conv"));
}

void TestPassSteps::passSteps_removeDead_hasItsTwoRuns()
{
    const auto graph = network();
    // The sigmoid and the pool at first; nothing is left without a reader by the others.
    const auto steps = passSteps(Graph(*graph), {}, {}, "remove-dead");
    QCOMPARE(steps.size(), std::size_t(1));
    QCOMPARE(steps.front().gone.size(), std::size_t(2));
    QVERIFY(std::ranges::none_of(steps.front().gone,
                                 [&](OperatorId id) { return steps.front().becomes[id.index()].isValid(); }));
}

void TestPassSteps::passSteps_passThatDoesNotRun_hasNone()
{
    const auto graph = network();
    QVERIFY(passSteps(Graph(*graph), {}, {}, "fuse-by-class").empty());
    QVERIFY(passSteps(Graph(*graph), {}, {.units = Units::Ios, .without = {"fuse-activations"}}, "fuse-activations")
                .empty());
    QVERIFY(passSteps(Graph(*graph), {}, {}, "fold-pads").empty());
}

void TestPassSteps::passSteps_graphs_holdNoWeights()
{
    const auto source = network();
    Graph::Parts parts = Graph(*source).take();
    const auto values = std::make_shared<const ConstantValues>(std::vector<float>{1.0F, 2.0F});
    for (Operator &op : parts.operators) {
        for (Parameter &parameter : op.parameters)
            parameter.values = values;
    }
    const auto own = values.use_count() - 1;
    {
        Graph graph = Graph::fromParts(std::move(parts));
        QCOMPARE(values.use_count() - 1, own);
        for (const Units units : {Units::Ios, Units::Tvm}) { // with bodies of fused units
            const char *pass = units == Units::Ios ? "fuse-activations" : "fuse-by-class";
            const auto steps = passSteps(Graph(graph), {}, {.units = units, .without = {}}, pass);
            QVERIFY(!steps.empty());
            QCOMPARE(values.use_count() - 1, own);
        }
    }
}

void TestPassSteps::stepBetween_readings_matchesByName()
{
    const auto graph = network();
    const auto formed = formUnits(Graph(*graph));
    const PassStep step = stepBetween(Graph(*graph), Graph(formed->graph));
    for (const OperatorId id : step.gone) {
        QVERIFY(!formed->graph.find(graph->op(id).name));
        QVERIFY(!step.becomes[id.index()].isValid());
    }
    QCOMPARE(step.gone.size(), graph->size() - formed->graph.size());
    QCOMPARE(listing(*step.after), listing(formed->graph));
}

STAGECRAFT_SUITE(TestPassSteps)

} // namespace tst_pass_steps
#include "tst_pass_steps.moc"
