// Traces of the PyTorch profiler against the edges of a model: whatever begins too early is found, in whichever run.

#include "flow/verify/verify_profile.h"

#include "support/graph_making.h"
#include "support/profile_making.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_verify_profile {

namespace {

constexpr int kPlans = 1000;

struct RunOfOperator {
    int startUs = 0;
    int durationUs = 0;
};

Model modelOf(Graph graph)
{
    Model model;
    model.name = "random";
    model.graph = std::make_shared<const Graph>(std::move(graph));
    return model;
}

// Each as soon as what it reads is there, or some time later.
std::vector<RunOfOperator> randomRun(const Graph &graph, std::mt19937 &random, int fromUs)
{
    std::vector<RunOfOperator> run(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        int start = fromUs;
        for (const OperatorId before : graph.predecessors(OperatorId::fromIndex(i)))
            start = std::max(start, run[before.index()].startUs + run[before.index()].durationUs);
        run[i] = {start + static_cast<int>(random() % 3), 2 + static_cast<int>(random() % 20)};
    }
    return run;
}

ProfileFile traceOf(const Graph &graph, const std::vector<std::vector<RunOfOperator>> &runs)
{
    std::vector<QByteArray> events;
    for (const auto &run : runs) {
        for (std::size_t i = 0; i < run.size(); ++i)
            events.push_back(pytorchKernel(QByteArray::fromStdString(graph.op(OperatorId::fromIndex(i)).name),
                                           QByteArray::number(run[i].startUs), QByteArray::number(run[i].durationUs),
                                           7 + static_cast<int>(i)));
    }
    return {"trace.json", pytorchTrace(events).toStdString(), {}};
}

// a, and b that reads it.
Model chain()
{
    GraphBuilder builder("chain");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
    (void)take(builder.add(conv("b", {{a}}, 8)));
    return modelOf(take(builder.build()));
}

} // namespace

class TestVerifyProfile : public QObject {
    Q_OBJECT

private slots:
    void verify_anyEarlyStart_isFound();
    void verify_oneOfSeveralRuns_isCounted();
    void verify_overlaps_areFaultsBeyondTheResolution_data();
    void verify_overlaps_areFaultsBeyondTheResolution();
    void verify_otherProfiles_areRefused();
};

void TestVerifyProfile::verify_anyEarlyStart_isFound()
{
    std::mt19937 random(47);
    std::size_t moved = 0;
    for (std::uint32_t round = 0; round < kPlans; ++round) {
        const Model model = modelOf(randomGraph(round, {.operators = 4 + static_cast<int>(round % 8)}));
        const Graph &graph = *model.graph;
        const auto run = randomRun(graph, random, 100);
        const VerifiedPlan passed = take(verifyProfile(traceOf(graph, {run}), model, {}));
        QVERIFY(passed.faults.empty());
        QCOMPARE(passed.mappedOperators.value_or(0), graph.size());
        for (std::size_t i = 0; i < graph.size(); ++i) {
            const OperatorId reader = OperatorId::fromIndex(i);
            for (const OperatorId from : graph.predecessors(reader)) {
                auto early = run;
                early[i].startUs = run[from.index()].startUs + run[from.index()].durationUs - 2;
                const auto faults = take(verifyProfile(traceOf(graph, {early}), model, {})).faults;
                const std::vector<std::string> pair{graph.op(from).name, graph.op(reader).name};
                QCOMPARE(std::ranges::count(faults, pair, &PlanFault::launches), 1);
                ++moved;
            }
        }
    }
    qInfo("%zu operators moved", moved);
    QVERIFY(moved > kPlans);
}

void TestVerifyProfile::verify_oneOfSeveralRuns_isCounted()
{
    const Model model = chain();
    const std::vector<RunOfOperator> good{{100, 10}, {110, 10}};
    const std::vector<RunOfOperator> bad{{200, 10}, {206, 10}};
    const std::vector<RunOfOperator> last{{300, 10}, {310, 10}};
    const VerifiedPlan verified = take(verifyProfile(traceOf(*model.graph, {good, bad, last}), model, {}));
    QCOMPARE(verified.faults.size(), std::size_t{1});
    QCOMPARE(verified.faults.front().reason,
             std::string("b began up to 4.0 us before a, which it reads from, had ended, in 1 of 3 runs"));
    QCOMPARE(verified.faults.front().remedy, std::string("Add an event from a to b"));
    QCOMPARE(verified.launches.value_or(0), std::size_t{2});
    QCOMPARE(verified.notShown.front(),
             std::string("waits: a trace has the order of 3 runs, which another run may not keep"));
}

void TestVerifyProfile::verify_overlaps_areFaultsBeyondTheResolution_data()
{
    QTest::addColumn<QByteArray>("start");
    QTest::addColumn<int>("stream");
    QTest::addColumn<bool>("passes");
    QTest::addColumn<QString>("notShown");
    const QString us =
        "overlaps of kernels of one stream, which orders them, and of others by 1 us or less, as exactly "
        "as the file states times";
    const QString ns = QString(us).replace("1 us", "1 ns");
    QTest::newRow("whole microseconds") << QByteArray("109") << 8 << true << us;
    QTest::newRow("whole microseconds, two") << QByteArray("108") << 8 << false << us;
    QTest::newRow("nanoseconds") << QByteArray("109.999") << 8 << true << ns;
    QTest::newRow("nanoseconds, two") << QByteArray("109.998") << 8 << false << ns;
    QTest::newRow("one stream") << QByteArray("102") << 7 << true << us;
    QTest::newRow("one stream, in another order") << QByteArray("99") << 7 << false << us;
}

// a runs from 100 to 110 us on stream 7.
void TestVerifyProfile::verify_overlaps_areFaultsBeyondTheResolution()
{
    QFETCH(const QByteArray, start);
    QFETCH(const int, stream);
    QFETCH(const bool, passes);
    QFETCH(const QString, notShown);
    const QByteArray text = pytorchTrace({pytorchKernel("a", "100", "10"), pytorchKernel("b", start, "10", stream)});
    const VerifiedPlan verified = take(verifyProfile({"t.json", text.toStdString(), {}}, chain(), {}));
    QCOMPARE(verified.faults.empty(), passes);
    QCOMPARE(QString::fromStdString(verified.notShown.at(1)), notShown);
}

void TestVerifyProfile::verify_otherProfiles_areRefused()
{
    const ProfileFile layers{"layers.json", R"([{"count": 1}, {"name": "a", "timeMs": 0.5}])", {}};
    const auto verified = verifyProfile(layers, modelOf(randomGraph(1, {})), {});
    QVERIFY(!verified);
    QCOMPARE(errorOf(verified.error()), QString("it does not say when kernels started and ended on the device"));
    const ProfileFile others{"t.json", pytorchTrace({pytorchKernel("elsewhere", "1", "2")}).toStdString(), {}};
    const auto unknown = verifyProfile(others, modelOf(randomGraph(1, {})), {});
    QVERIFY(!unknown);
    QCOMPARE(errorOf(unknown.error()),
             QString("it has 1 kernel, and none fits an operator of random: nothing can be checked"));
}

STAGECRAFT_SUITE(TestVerifyProfile)

} // namespace tst_verify_profile
#include "tst_verify_profile.moc"
