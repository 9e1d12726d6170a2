// Converts graphs and stages to messages between the program and its worker.

#include "device/worker/protocol/messages.h"
#include "faulty_device.h"
#include "support/suite.h"

#include <QTest>

#include <limits>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_worker_messages {

class TestWorkerMessages : public QObject {
    Q_OBJECT

private slots:
    void graphMessage_everyAttribute_readsBack();
    void graphMessage_wrongIndices_areRefused();
    void graphMessage_subgraphBeforeItself_isRefused();
    void fileMessage_readsBack();
    void stageMessage_strategies_readBack();
    void timelineMessage_fusedUnits_readBack();
    void timelineMessage_whatTheScheduleDoesNotHave_isRefused_data();
    void timelineMessage_whatTheScheduleDoesNotHave_isRefused();
    void sampleMessage_thatIsNoTime_isRefused();
};

// A worker may be on another machine, and of another program: what it says is checked before anything is looked up by
// it.
void TestWorkerMessages::timelineMessage_whatTheScheduleDoesNotHave_isRefused_data()
{
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("reason");
    QTest::newRow("operator") << 0 << "a kernel of operator 4294967295";
    QTest::newRow("stage") << 1 << "a kernel of stage 1";
    QTest::newRow("stream") << 2 << "a kernel on stream 2";
    QTest::newRow("end") << 3 << "a kernel that ends before it begins";
    QTest::newRow("span") << 4 << "a span of stage 7";
    QTest::newRow("counter") << 5 << "a counter without a value for each time";
}

void TestWorkerMessages::timelineMessage_whatTheScheduleDoesNotHave_isRefused()
{
    QFETCH(const int, fault);
    QFETCH(const QString, reason);
    const auto graph = behaviours();
    Timeline timeline;
    timeline.streams = 2;
    timeline.stages = {{0, 1, 70}};
    timeline.kernels.push_back({.name = "k", .operators = {OperatorId{0}}, .stream = 1, .startNs = 5, .endNs = 9});
    timeline.counters.push_back({"active", "warps", "measured", 2, {0, 5}, {1, 2}});
    worker::Timeline message;
    worker::write(timeline, message);
    QVERIFY(worker::read(message, *graph, 1));
    worker::KernelSpan &kernel = *message.mutable_kernels(0);
    switch (fault) {
    case 0: kernel.set_operators(0, 0xffffffff); break;
    case 1: kernel.set_stage(1); break;
    case 2: kernel.set_stream(2); break;
    case 3: kernel.set_end_ns(4); break;
    case 4: message.mutable_stages(0)->set_stage(7); break;
    default: message.mutable_counters(0)->clear_values();
    }
    const auto read = worker::read(message, *graph, 1);
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().message).endsWith(reason), read.error().message.c_str());
}

void TestWorkerMessages::sampleMessage_thatIsNoTime_isRefused()
{
    worker::Sample message;
    worker::write(Timing::ofLatency(5), message);
    QVERIFY(worker::read(message));
    for (const double us : {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity()}) {
        message.set_median_us(us);
        QVERIFY(!worker::read(message));
    }
}

void TestWorkerMessages::fileMessage_readsBack()
{
    const stagecraft::ModelFile file{
        "/a b/m\xc3\xbc.onnx", "0123", {Units::Tvm, {"fold-pads", "x"}, {{"in", {1, 3, 64, 64}}, {"n", {}}}}};
    worker::ModelFile message;
    worker::write(file, message);
    QVERIFY(take(worker::read(message)) == file);
    message.set_units("units");
    QVERIFY(!worker::read(message));
}

void TestWorkerMessages::graphMessage_everyAttribute_readsBack()
{
    GraphBuilder builder("g");
    const TensorId x = take(builder.addInput("x", Shape{{2, 8, 9, 9}}));
    Operator conv = test::conv("conv", {{x}}, 8, 3);
    conv.parameters = {{"weight", "w", Shape{{8, 8, 3, 3}}, DataType::Float32, nullptr},
                       {"bias", "b", Shape{{2}}, DataType::Float32, shared(std::vector<float>(2, 0.5F))}};
    const TensorId a = take(builder.add(conv));
    Operator sep = test::join("sep", {{a, x}});
    sep.kind = OperatorKind::SepConv;
    sep.attributes = SepConvAttributes{16, {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, {ActivationKind::Relu}, {}, {}};
    const TensorId b = take(builder.add(sep));
    Operator pool = test::join("pool", {{b}, {a}});
    pool.kind = OperatorKind::Pool;
    pool.attributes = PoolAttributes{PoolAttributes::Mode::Average, false, true, true, {{2, 2}, {2, 2}, {1, 1}, {}}};
    take(builder.add(pool));
    Operator act = test::join("act", {{b}});
    act.kind = OperatorKind::Activation;
    act.attributes = Activation{ActivationKind::LeakyRelu, 0.25F, 0};
    take(builder.add(act));
    Operator split = test::join("split", {{b}});
    split.kind = OperatorKind::Split;
    split.attributes = GenericAttributes{{{"axis", 1}, {"split", std::vector<std::int64_t>{4, 12}}}};
    take(builder.add(
        split, {{"s1", Shape{{2, 4, 9, 9}}, DataType::Float32, {}}, {"s2", Shape{{}, false}, DataType::Int64, {}}}));
    using Source = SubgraphSource;
    Subgraph inner{{{"Neg", {}, {{Source::Kind::Operand, 1, 0}}, 1}}, {{Source::Kind::Node, 0, 0}}, 13};
    Subgraph branch{{{"TopK", {{"axis", 1}}, {{Source::Kind::Operand, 1, 0}, {}}, 2},
                     {"If",
                      {{"then_branch", SharedSubgraph{std::make_shared<const Subgraph>(std::move(inner))}}},
                      {{Source::Kind::Node, 0, 1}},
                      1}},
                    {{Source::Kind::Node, 1, 0}},
                    13};
    Operator choice = test::join("choice", {{a}});
    choice.kind = OperatorKind::Unknown;
    choice.attributes =
        GenericAttributes{{{"then_branch", SharedSubgraph{std::make_shared<const Subgraph>(std::move(branch))}}}};
    take(builder.add(choice, {{"chosen", Shape{{2}}, DataType::Float32, {}}}));
    const Graph graph = take(builder.build());
    worker::Graph message;
    worker::write(graph, message);
    worker::Graph parsed;
    QVERIFY(parsed.ParseFromString(message.SerializeAsString()));
    const Graph read = take(worker::read(parsed));
    QCOMPARE(read.name(), graph.name());
    QCOMPARE(read.size(), graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &from = graph.operators()[i];
        const Operator &to = read.operators()[i];
        QCOMPARE(to.name, from.name);
        QVERIFY(to.kind == from.kind && to.attributes == from.attributes && to.type == from.type);
        QCOMPARE(to.outputs.size(), from.outputs.size());
        for (std::size_t k = 0; k < to.outputs.size(); ++k) {
            QVERIFY(read.tensor(to.outputs[k]).shape == graph.tensor(from.outputs[k]).shape);
            QVERIFY(read.tensor(to.outputs[k]).type == graph.tensor(from.outputs[k]).type);
        }
        QCOMPARE(to.inputs.size(), from.inputs.size());
        for (std::size_t part = 0; part < to.inputs.size(); ++part) {
            QCOMPARE(to.inputs[part].size(), from.inputs[part].size());
            for (std::size_t k = 0; k < to.inputs[part].size(); ++k)
                QCOMPARE(read.tensor(to.inputs[part][k]).name, graph.tensor(from.inputs[part][k]).name);
        }
    }
    QVERIFY(!read.operators()[0].parameters[0].values);
    QVERIFY(*read.operators()[0].parameters[1].values == ConstantValues(std::vector<float>(2, 0.5F)));
    QCOMPARE(read.outputs().size(), graph.outputs().size());
}

void TestWorkerMessages::graphMessage_subgraphBeforeItself_isRefused()
{
    GraphBuilder builder("g");
    Operator choice = test::join("choice", {{take(builder.addInput("x", Shape{{2}}))}});
    choice.kind = OperatorKind::Unknown;
    using Source = SubgraphSource;
    const auto branch = std::make_shared<Subgraph>();
    branch->nodes = {{"Neg", {}, {{Source::Kind::Node, 0, 0}}, 1}};
    choice.attributes = GenericAttributes{{{"then_branch", SharedSubgraph{branch}}}};
    take(builder.add(choice, {{"chosen", Shape{{2}}, DataType::Float32, {}}}));
    worker::Graph message;
    worker::write(take(builder.build()), message);
    const auto read = worker::read(message);
    QVERIFY(!read);
    QVERIFY2(read.error().message.find("a subgraph that reads what is not made yet") != std::string::npos,
             read.error().message.c_str());
}

void TestWorkerMessages::graphMessage_wrongIndices_areRefused()
{
    worker::Graph message;
    message.add_inputs(5);
    QVERIFY(!worker::read(message));
    message.Clear();
    worker::write(*behaviours(), message);
    message.mutable_operators(1)->mutable_inputs(0)->set_tensors(0, 99);
    QVERIFY(!worker::read(message));
    worker::write(*behaviours(), *(message.Clear(), &message));
    message.mutable_operators(1)->set_kind(1000);
    QVERIFY(!worker::read(message));
    worker::Stage stage;
    stage.add_groups()->add_operators(100);
    QVERIFY(!worker::read(stage, *behaviours()));
}

void TestWorkerMessages::stageMessage_strategies_readBack()
{
    for (const Strategy strategy : {Strategy::Concurrent, Strategy::Merge, Strategy::Fused}) {
        worker::Stage message;
        const stagecraft::Stage stage{0, strategy, {{OperatorId{0}}, {OperatorId{1}}}};
        worker::write(stage, message);
        QVERIFY(take(worker::read(message, *behaviours())) == stage);
    }
}

void TestWorkerMessages::timelineMessage_fusedUnits_readBack()
{
    const auto graph = behaviours();
    stagecraft::Timeline timeline;
    timeline.fused = {{3,
                       {{OperatorId{0}, {{"row bands", 4, 1200.5, 0.5}, {"whole", 1, 4000, 0.125}}, 1}},
                       {{2, {{0, 10, 20}, {0, 30, 45}}}, {1, {}}}}};
    worker::Timeline message;
    worker::write(timeline, message);
    QVERIFY(worker::read(message, *graph, 4).value().fused == timeline.fused);
    QVERIFY(!worker::read(message, *graph, 3)); // it has no fourth stage
    auto wrong = message;
    wrong.mutable_fused(0)->mutable_r_operators(0)->set_chosen(2);
    QVERIFY(!worker::read(wrong, *graph, 4));
    wrong = message;
    wrong.mutable_fused(0)->mutable_rows(0)->set_r_operators(1, 1);
    QVERIFY(!worker::read(wrong, *graph, 4));
    wrong = message;
    wrong.mutable_fused(0)->mutable_rows(0)->clear_end_ns();
    QVERIFY(!worker::read(wrong, *graph, 4));
}

STAGECRAFT_SUITE(TestWorkerMessages)

} // namespace tst_worker_messages
#include "tst_worker_messages.moc"
