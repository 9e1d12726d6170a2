#include "reference_execution.h"

#include "cpu/cpu_device.h"
#include "graph/parameter_roles.h"
#include "schedule/verify.h"
#include "search/search.h"

#include <QTest>

#include <functional>
#include <random>

using namespace stagecraft;

namespace {

Parameter constant(std::string_view role, const std::string &owner, std::vector<std::int64_t> dims)
{
    return {std::string(role), owner + '.' + std::string(role), Shape{std::move(dims)}, DataType::Float32, nullptr};
}

// Adds operators with seeded weights to a graph.
class Maker {
public:
    explicit Maker(Shape input) { m_x = m_builder.addInput("x", std::move(input)).value(); }

    TensorId x() const { return m_x; }

    TensorId conv(InputExpression inputs, std::int64_t out, Window window, Activation after = {},
                  Activation before = {}, std::int64_t groups = 1, bool bias = true)
    {
        Operator op = named("Conv", OperatorKind::Conv, std::move(inputs));
        op.attributes = ConvAttributes{out, window, groups, before, after};
        op.parameters = {
            constant(role::kWeight, op.name, {out, channels(op) / groups, window.kernel[0], window.kernel[1]})};
        if (bias)
            op.parameters.push_back(constant(role::kBias, op.name, {out}));
        return add(std::move(op));
    }

    TensorId sepConv(InputExpression inputs, std::int64_t out, Window window, Activation before = {},
                     Activation between = {})
    {
        Operator op = named("SepConv", OperatorKind::SepConv, std::move(inputs));
        op.attributes = SepConvAttributes{out, window, before, between, {}};
        const std::int64_t in = channels(op);
        op.parameters = {constant(role::kDepthwiseWeight, op.name, {in, 1, window.kernel[0], window.kernel[1]}),
                         constant(role::kDepthwiseBias, op.name, {in}),
                         constant(role::kPointwiseWeight, op.name, {out, in, 1, 1}),
                         constant(role::kPointwiseBias, op.name, {out})};
        return add(std::move(op));
    }

    TensorId pool(InputExpression inputs, PoolAttributes pool)
    {
        Operator op = named("Pool", OperatorKind::Pool, std::move(inputs));
        op.attributes = pool;
        return add(std::move(op));
    }

    TensorId activation(InputExpression inputs, Activation activation)
    {
        Operator op = named("Activation", OperatorKind::Activation, std::move(inputs));
        op.attributes = activation;
        return add(std::move(op));
    }

    TensorId join(InputExpression inputs) { return add(named("Join", OperatorKind::Join, std::move(inputs))); }

    TensorId batchNorm(InputExpression inputs)
    {
        Operator op = named("BatchNorm", OperatorKind::BatchNorm, std::move(inputs));
        op.parameters = {constant(role::kScale, op.name, {channels(op)}),
                         constant(role::kBias, op.name, {channels(op)})};
        return add(std::move(op));
    }

    TensorId flatten(TensorId input)
    {
        const Shape &shape = m_builder.tensor(input).shape;
        Operator op = named("Flatten", OperatorKind::Reshape, {{input}});
        Tensor output{op.name, Shape{{shape.batch(), shape.elements() / shape.batch()}}, DataType::Float32, {}};
        return m_builder.add(std::move(op), {output}).value().front();
    }

    TensorId gemm(TensorId input, std::int64_t out, bool transposeB, Activation after)
    {
        Operator op = named("Gemm", OperatorKind::Gemm, {{input}});
        const std::int64_t in = m_builder.tensor(input).shape.dims.back();
        op.attributes = GemmAttributes{out, in, transposeB, after};
        op.parameters = {constant(role::kWeight, op.name,
                                  transposeB ? std::vector<std::int64_t>{out, in} : std::vector<std::int64_t>{in, out}),
                         constant(role::kBias, op.name, {out})};
        return add(std::move(op));
    }

    std::shared_ptr<const Graph> build() { return std::make_shared<Graph>(m_builder.build().value()); }

private:
    Operator named(const std::string &type, OperatorKind kind, InputExpression inputs)
    {
        Operator op;
        op.name = type + std::to_string(m_count++);
        op.type = type;
        op.kind = kind;
        op.inputs = std::move(inputs);
        return op;
    }

    std::int64_t channels(const Operator &op) const
    {
        std::int64_t sum = 0;
        for (const auto &part : op.inputs)
            sum += m_builder.tensor(part.front()).shape.channels();
        return sum;
    }

    TensorId add(Operator op)
    {
        const auto id = m_builder.add(std::move(op));
        if (!id)
            qFatal("the test graph does not build: %s", id.error().message.c_str());
        return *id;
    }

    GraphBuilder m_builder{"test"};
    TensorId m_x;
    int m_count = 0;
};

constexpr Activation kRelu{ActivationKind::Relu};

Window window(std::int64_t kernel, std::int64_t stride = 1, std::int64_t dilation = 1)
{
    const std::int64_t padding = (kernel - 1) * dilation / 2;
    return {{kernel, kernel}, {stride, stride}, {dilation, dilation}, {padding, padding, padding, padding}};
}

Blocks oneBlock(const Graph &graph)
{
    Block block;
    for (std::size_t i = 0; i < graph.size(); ++i)
        block.operators.push_back(OperatorId::fromIndex(i));
    return {block};
}

// An Inception module of the given width: four branches that are joined, then a convolution.
std::shared_ptr<const Graph> inceptionModule(std::int64_t width, std::int64_t batch)
{
    Maker make(Shape{{batch, 3, 17, 15}});
    const TensorId stem = make.conv({{make.x()}}, 2 * width, window(3, 2), kRelu);
    const TensorId a = make.conv({{stem}}, width, window(1), kRelu);
    const TensorId b1 = make.conv({{stem}}, width, window(1), kRelu);
    const TensorId b2 = make.conv({{b1}}, width, window(3), kRelu);
    const TensorId c1 = make.conv({{stem}}, 2 * width, window(3), kRelu, {}, 1, false);
    const TensorId d1 = make.pool({{stem}}, {PoolAttributes::Mode::Average, false, false, false, window(3)});
    const TensorId d2 = make.conv({{d1}}, width, window(1), kRelu);
    const TensorId joined = make.join({{a}, {b2}, {c1}, {d2}});
    make.conv({{joined}}, width, window(3), kRelu);
    return make.build();
}

// Merges convolutions 1, 2 and 4 of inceptionModule; the rest in three concurrent groups where they can be.
Schedule mergedSchedule()
{
    const auto id = [](std::uint32_t value) { return OperatorId{value}; };
    Schedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}}},
                       {0, Strategy::Merge, {{id(1)}, {id(2)}, {id(4)}}},
                       {0, Strategy::Concurrent, {{id(3)}, {id(5), id(6)}}},
                       {0, Strategy::Concurrent, {{id(7)}}},
                       {0, Strategy::Concurrent, {{id(8)}}}};
    return schedule;
}

std::vector<HostTensor> runOn(const std::shared_ptr<const Graph> &graph, const Schedule &schedule, int cores = 2)
{
    CpuOptions options;
    options.cores = cores;
    auto session = makeCpuDevice(options)->open(graph);
    if (!session)
        qFatal("%s", session.error().message.c_str());
    auto outputs = (*session)->run(schedule, randomInputs(*graph, 1), {});
    if (!outputs)
        qFatal("%s", outputs.error().message.c_str());
    return std::move(*outputs);
}

void compareWithReference(const std::shared_ptr<const Graph> &graph, const Schedule &schedule, int cores = 2)
{
    const auto reference = referenceTensors(*graph, randomInputs(*graph, 1));
    const auto outputs = runOn(graph, schedule, cores);
    QCOMPARE(outputs.size(), graph->outputs().size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double difference = relativeDifference(outputs[i].values, reference[graph->outputs()[i].index()]);
        QVERIFY2(difference < 1e-5,
                 qPrintable(QString("%1 differs by %2").arg(outputs[i].name.c_str()).arg(difference)));
    }
}

using MakeGraph = std::function<std::shared_ptr<const Graph>()>;

} // namespace

Q_DECLARE_METATYPE(MakeGraph)

class TestCpuExecution : public QObject {
    Q_OBJECT

private slots:
    void run_eachOperator_equalsTheReference_data();
    void run_eachOperator_equalsTheReference();
    void run_everySchedule_equalsTheReference_data();
    void run_everySchedule_equalsTheReference();
    void run_randomGraphs_equalTheReference();
    void run_wrongInputs_areRefused();
    void open_unknownOperator_isRefusedByName();
    void measureStage_anyStage_isPositiveAndCounted();
    void measureStage_stopRequested_isCancelled();
    void timeline_concurrentStage_usesTwoThreads();
};

void TestCpuExecution::run_eachOperator_equalsTheReference_data()
{
    QTest::addColumn<MakeGraph>("make");
    const auto row = [](const char *name, const std::function<void(Maker &)> &fill, Shape input = {{2, 32, 13, 11}}) {
        QTest::newRow(name) << MakeGraph([=] {
            Maker make(input);
            fill(make);
            return make.build();
        });
    };
    row("conv 3x3", [](Maker &m) { m.conv({{m.x()}}, 48, window(3), kRelu); });
    row("conv 1x1 stride 2", [](Maker &m) { m.conv({{m.x()}}, 48, window(1, 2)); });
    row(
        "conv odd channels", [](Maker &m) { m.conv({{m.x()}}, 5, window(3), kRelu); }, Shape{{1, 7, 9, 9}});
    row("conv 1x7", [](Maker &m) { m.conv({{m.x()}}, 16, {{1, 7}, {1, 1}, {1, 1}, {0, 3, 0, 3}}, kRelu); });
    row("conv dilated", [](Maker &m) { m.conv({{m.x()}}, 16, window(3, 1, 2)); });
    row("conv uneven padding", [](Maker &m) { m.conv({{m.x()}}, 16, {{3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}}); });
    row("conv groups", [](Maker &m) { m.conv({{m.x()}}, 64, window(3), kRelu, {}, 4); });
    row("conv depthwise", [](Maker &m) { m.conv({{m.x()}}, 32, window(3), kRelu, {}, 32); });
    row("conv no bias", [](Maker &m) { m.conv({{m.x()}}, 16, window(3), kRelu, {}, 1, false); });
    row("relu conv", [](Maker &m) { m.conv({{m.x()}}, 16, window(3), {}, kRelu); });
    row("conv of conv", [](Maker &m) { m.conv({{m.conv({{m.x()}}, 24, window(3), kRelu)}}, 40, window(3), kRelu); });
    row("conv of an expression", [](Maker &m) {
        const TensorId a = m.conv({{m.x()}}, 32, window(1));
        m.conv({{a, m.x()}, {m.x()}}, 16, window(3), kRelu, kRelu);
    });
    row("sepconv", [](Maker &m) { m.sepConv({{m.x()}}, 48, window(5), kRelu); });
    row("sepconv of a sum", [](Maker &m) {
        const TensorId a = m.sepConv({{m.x()}}, 32, window(3), kRelu);
        m.sepConv({{a, m.x(), a}}, 20, window(3, 2), kRelu, kRelu);
    });
    row("max pool", [](Maker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Max, false, false, false, window(3, 2)});
    });
    row(
        "max pool ceil",
        [](Maker &m) {
            m.pool({{m.x()}}, {PoolAttributes::Mode::Max, false, true, false, {{3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}}});
        },
        Shape{{1, 16, 12, 14}});
    row("average pool", [](Maker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Average, false, false, false, window(3)});
    });
    row(
        "average pool ceil",
        [](Maker &m) {
            m.pool({{m.x()}},
                   {PoolAttributes::Mode::Average, false, true, false, {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}});
        },
        Shape{{1, 16, 12, 14}});
    row("average pool with padding", [](Maker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Average, false, false, true, window(3)});
    });
    row("global pool", [](Maker &m) { m.pool({{m.x()}}, {PoolAttributes::Mode::Average, true, false, false, {}}); });
    row("add", [](Maker &m) { m.join({{m.conv({{m.x()}}, 32, window(3)), m.x()}}); });
    row("concat of blocks", [](Maker &m) {
        const TensorId a = m.conv({{m.x()}}, 16, window(3), kRelu);
        m.join({{a}, {m.conv({{m.x()}}, 32, window(1))}, {m.conv({{a}}, 48, window(1))}});
    });
    row("concat of odd channels", [](Maker &m) {
        const TensorId a = m.conv({{m.x()}}, 6, window(3), kRelu);
        const TensorId j = m.join({{a}, {m.conv({{m.x()}}, 12, window(1))}, {m.conv({{a}}, 21, window(1))}});
        m.conv({{j}}, 8, window(3));
    });
    row(
        "concat, batch 1",
        [](Maker &m) {
            const TensorId a = m.conv({{m.x()}}, 16, window(3), kRelu);
            const TensorId j = m.join({{a},
                                       {m.conv({{m.x()}}, 32, window(1))},
                                       {m.conv({{a}}, 48, window(1)), m.conv({{m.x()}}, 48, window(1))}});
            m.join({{j}, {m.conv({{j}}, 16, window(3))}});
        },
        Shape{{1, 32, 13, 11}});
    row(
        "concat of one tensor twice",
        [](Maker &m) {
            const TensorId a = m.conv({{m.x()}}, 16, window(3), kRelu);
            m.join({{a}, {a}});
        },
        Shape{{1, 32, 13, 11}});
    row("batch norm", [](Maker &m) { m.batchNorm({{m.conv({{m.x()}}, 20, window(3))}}); });
    row("gemm", [](Maker &m) {
        const TensorId p =
            m.pool({{m.conv({{m.x()}}, 20, window(3))}}, {PoolAttributes::Mode::Average, true, false, false, {}});
        m.gemm(m.gemm(m.flatten(p), 30, false, kRelu), 10, true, {});
    });
    row("flatten of an image", [](Maker &m) { m.gemm(m.flatten(m.conv({{m.x()}}, 20, window(3))), 30, true, {}); });
    for (const Activation activation :
         {kRelu, Activation{ActivationKind::Relu6}, Activation{ActivationKind::LeakyRelu, 0.1F},
          Activation{ActivationKind::Sigmoid}, Activation{ActivationKind::Tanh}, Activation{ActivationKind::HardSwish},
          Activation{ActivationKind::HardSigmoid, 0.2F, 0.5F}, Activation{ActivationKind::Silu},
          Activation{ActivationKind::Elu, 0.7F}, Activation{ActivationKind::Gelu}}) {
        const std::string name(toString(activation.kind));
        row(("alone " + name).c_str(),
            [=](Maker &m) { m.activation({{m.conv({{m.x()}}, 20, window(3))}}, activation); });
        row(("after conv " + name).c_str(), [=](Maker &m) { m.conv({{m.x()}}, 20, window(3), activation); });
        row(("before conv " + name).c_str(), [=](Maker &m) { m.conv({{m.x()}}, 20, window(3), {}, activation); });
    }
}

void TestCpuExecution::run_eachOperator_equalsTheReference()
{
    QFETCH(MakeGraph, make);
    const auto graph = make();
    compareWithReference(graph, sequentialSchedule(*graph, oneBlock(*graph)));
}

void TestCpuExecution::run_everySchedule_equalsTheReference_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("cores");
    for (const int width : {16, 32, 12, 3}) {
        for (const int batch : {1, 2}) {
            for (const int cores : {1, 2, 5})
                QTest::addRow("width %d, batch %d, %d cores", width, batch, cores) << width << batch << cores;
        }
    }
}

void TestCpuExecution::run_everySchedule_equalsTheReference()
{
    QFETCH(int, width);
    QFETCH(int, batch);
    QFETCH(int, cores);
    const auto graph = inceptionModule(width, batch);
    const Blocks blocks = oneBlock(*graph);
    QVERIFY(verifySchedule(*graph, blocks, mergedSchedule()));
    for (const Schedule &schedule :
         {sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks), mergedSchedule()})
        compareWithReference(graph, schedule, cores);
}

// Lifetimes and homes under many shapes of graph: every operator reads one to three earlier tensors.
void TestCpuExecution::run_randomGraphs_equalTheReference()
{
    std::minstd_rand random(3);
    for (int round = 0; round < 40; ++round) {
        const std::int64_t channels = round % 3 == 0 ? 8 : 16;
        Maker make(Shape{{1 + round % 2, channels, 6, 5}});
        std::vector<TensorId> tensors{make.x()}; // all of the same shape
        const auto any = [&] { return tensors[random() % tensors.size()]; };
        for (int i = 0; i < 12; ++i) {
            switch (random() % 5) {
            case 0: tensors.push_back(make.conv({{any()}}, channels, window(3), kRelu)); break;
            case 1: tensors.push_back(make.sepConv({{any(), any()}}, channels, window(3), kRelu)); break;
            case 2: tensors.push_back(make.join({{any(), any()}})); break;
            case 3: {
                const TensorId joined = make.join({{any()}, {any()}, {any(), any()}});
                tensors.push_back(make.conv({{joined}}, channels, window(1)));
                break;
            }
            default:
                tensors.push_back(make.pool({{any()}}, {PoolAttributes::Mode::Max, false, false, false, window(3)}));
                break;
            }
        }
        const auto graph = make.build();
        const Blocks blocks = oneBlock(*graph);
        compareWithReference(graph, sequentialSchedule(*graph, blocks));
        compareWithReference(graph, greedySchedule(*graph, blocks), 3);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestCpuExecution::run_wrongInputs_areRefused()
{
    const auto graph = inceptionModule(16, 1);
    auto session = makeCpuDevice()->open(graph).value();
    const Schedule schedule = sequentialSchedule(*graph, oneBlock(*graph));
    const auto none = session->run(schedule, {}, {});
    QVERIFY(!none && none.error().code == ErrorCode::WrongUse);
    QCOMPARE(none.error().message, std::string("no values are given for input x"));
    auto inputs = randomInputs(*graph, 1);
    inputs[0].shape.dims[2] = 15;
    const auto other = session->run(schedule, inputs, {});
    QVERIFY(!other && other.error().message.find("but must be 1x3x17x15") != std::string::npos);
}

void TestCpuExecution::open_unknownOperator_isRefusedByName()
{
    GraphBuilder builder("unknown");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    Operator op;
    op.name = "mystery";
    op.type = "Einsum";
    op.inputs = {{x}};
    const Tensor output{"y", Shape{{1, 8}}, DataType::Float32, {}};
    QVERIFY(builder.add(op, {output}));
    const auto graph = std::make_shared<Graph>(builder.build().value());
    auto session = makeCpuDevice()->open(graph).value();
    const auto sample = session->measureStage({0, Strategy::Concurrent, {{OperatorId{0}}}}, {});
    QVERIFY(!sample);
    QCOMPARE(sample.error().context.front(), std::string("operator mystery"));
    QVERIFY(sample.error().message.find("Einsum") != std::string::npos);
}

void TestCpuExecution::measureStage_anyStage_isPositiveAndCounted()
{
    const auto graph = inceptionModule(16, 1);
    auto session = makeCpuDevice()->open(graph).value();
    const Schedule schedule = mergedSchedule();
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement);
    QCOMPARE(measurement->stages.size(), schedule.stages.size());
    for (const LatencySample &sample : measurement->stages) {
        QVERIFY(sample.medianUs > 0 && sample.meanUs > 0 && sample.stddevUs >= 0 && !sample.cached);
        QVERIFY(sample.runs >= 2);
    }
    QVERIFY(measurement->whole.medianUs > 0);
}

void TestCpuExecution::measureStage_stopRequested_isCancelled()
{
    const auto graph = inceptionModule(16, 1);
    auto session = makeCpuDevice()->open(graph).value();
    std::stop_source stop;
    stop.request_stop();
    const auto sample = session->measureStage(mergedSchedule().stages[1], stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
}

void TestCpuExecution::timeline_concurrentStage_usesTwoThreads()
{
    const auto graph = inceptionModule(32, 1);
    CpuOptions options;
    options.cores = 2;
    auto session = makeCpuDevice(options)->open(graph).value();
    const auto timeline = session->timeline(mergedSchedule(), {});
    QVERIFY(timeline && timeline->provenance == Provenance::Measured);
    QCOMPARE(timeline->streams, std::size_t{2});
    QCOMPARE(timeline->stages.size(), std::size_t{5});
    QCOMPARE(timeline->kernels.size(), std::size_t{7}); // three of the nine operators are merged
    std::int64_t before = 0;
    for (const KernelSpan &kernel : timeline->kernels) {
        QVERIFY(kernel.startNs >= before && kernel.endNs >= kernel.startNs && kernel.endNs <= timeline->durationNs);
        QVERIFY(kernel.startNs >= timeline->stages[kernel.stage].startNs);
        QVERIFY(kernel.endNs <= timeline->stages[kernel.stage].endNs);
        before = kernel.startNs;
    }
    const CounterSeries *active = timeline->counter("active threads");
    QVERIFY(active);
    QCOMPARE(*std::ranges::max_element(active->values), 2.0);
    QCOMPARE(*std::ranges::min_element(active->values), 0.0);
}

QTEST_GUILESS_MAIN(TestCpuExecution)
#include "tst_cpu_execution.moc"
