// Schedules that state layouts: files, and what an executing device makes of them.

#include "device/cpu/cpu_device.h"
#include "results/files/schedule_json.h"
#include "schedule/layouts/laid_out_graph.h"
#include "schedule/layouts/stated_layouts.h"
#include "schedule/verify.h"
#include "search/layouts/layout_search.h"
#include "search/stages/baselines.h"
#include "support/random_graph.h"
#include "support/random_layouts.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_stated_layouts {

namespace {

// a and b read the input, c reads a; the join reads b and c.
Graph network()
{
    GraphBuilder builder("net");
    const auto weighted = [](Operator op, std::int64_t inChannels) {
        const std::int64_t out = op.conv()->outChannels;
        std::vector<float> values(static_cast<std::size_t>(out * inChannels));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i % 7) / 7 - 0.4F;
        op.parameters = {{"weight", op.name + "/weight", Shape{{out, inChannels, 1, 1}}, DataType::Float32,
                          shared(std::move(values))}};
        return op;
    };
    const TensorId input = take(builder.addInput("input", Shape{{1, 16, 8, 8}}));
    const TensorId a = take(builder.add(weighted(conv("a", {{input}}, 16), 16)));
    const TensorId b = take(builder.add(weighted(conv("b", {{input}}, 16), 16)));
    const TensorId c = take(builder.add(weighted(conv("c", {{a}}, 16), 16)));
    (void)take(builder.add(join("joined", {{b}, {c}})));
    return take(builder.build());
}

OperatorId named(const Graph &graph, const char *name)
{
    return *graph.find(name);
}

std::vector<HostTensor> outputsOf(const std::shared_ptr<const Graph> &graph, std::vector<Stage> stages)
{
    CpuOptions options;
    options.cores = 1;
    options.poisonsFreed = true;
    const auto device = makeCpuDevice(options);
    const auto session = take(device->open(graph));
    HostTensor input{"input", graph->tensor(graph->inputs().front()).shape, {}};
    for (std::int64_t i = 0; i < input.shape.elements(); ++i)
        input.values.push_back(std::sin(static_cast<float>(i)));
    TimedSchedule schedule;
    schedule.stages = std::move(stages);
    return take(session->executor()->run(schedule, {input}, {}));
}

TimedSchedule scheduleOf(const Graph &graph)
{
    TimedSchedule schedule = sequentialSchedule(graph, consecutiveBlocks(graph, 1));
    schedule.context.model = {"net", "hash"};
    return schedule;
}

} // namespace

class TestStatedLayouts : public QObject {
    Q_OBJECT

private slots:
    void json_layouts_areReadBack();
    void json_withoutLayouts_hasNoSuchMembers();
    void json_wrongLayouts_areRefused_data();
    void json_wrongLayouts_areRefused();
    void make_everyLayout_computesTheSame();
    void stages_conversions_runBeforeTheirReaders();
    void stage_conversionInsideAGroup_isPartOfIt();
    void statedLayouts_ofAnAssignment_giveItBack();
};

void TestStatedLayouts::json_layouts_areReadBack()
{
    const Graph graph = network();
    TimedSchedule schedule = scheduleOf(graph);
    schedule.layouts = {{{"a", TensorLayout::ChannelsLast}, {"c", TensorLayout::Blocked8}},
                        {{"c", TensorLayout::RowMajor}}};
    const std::string text = toJson(graph, schedule);
    QVERIFY(text.find(R"("a": "NHWC")") != std::string::npos);
    const TimedSchedule read = take(scheduleFromJson(text, graph, consecutiveBlocks(graph, 1), schedule.context.model));
    QCOMPARE(read.layouts, schedule.layouts);
    QCOMPARE(toJson(graph, read), text);
}

void TestStatedLayouts::json_withoutLayouts_hasNoSuchMembers()
{
    const Graph graph = network();
    const std::string text = toJson(graph, scheduleOf(graph));
    QVERIFY(text.find("layouts") == std::string::npos);
    QVERIFY(text.find("reads") == std::string::npos);
    QVERIFY(take(scheduleFromJson(text, graph, consecutiveBlocks(graph, 1), {"net", "hash"})).layouts.empty());
}

void TestStatedLayouts::json_wrongLayouts_areRefused_data()
{
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("where");
    QTest::newRow("tensor") << QByteArray(R"("layouts": {"z": "NHWC"})")
                            << QByteArray("the model has no tensor of this name") << QByteArray("tensor z");
    QTest::newRow("layout") << QByteArray(R"("layouts": {"a": "CHWN"})")
                            << QByteArray("the layout of a is \"CHWN\", which is not NCHW, NHWC, nChw8c or nChw16c")
                            << QByteArray("layouts");
    QTest::newRow("number") << QByteArray(R"("layouts": {"a": 1})")
                            << QByteArray("the layout of a is 1, which is not NCHW, NHWC, nChw8c or nChw16c")
                            << QByteArray("layouts");
    QTest::newRow("list") << QByteArray(R"("layouts": ["a"])")
                          << QByteArray("\"layouts\" is not an object of layouts by name") << QByteArray("schedule");
    QTest::newRow("input") << QByteArray(R"("layouts": {"input": "NHWC"})")
                           << QByteArray("inputs of the model come in NCHW") << QByteArray("tensor input");
    QTest::newRow("reader") << QByteArray(R"("reads": {"z": "NHWC"})")
                            << QByteArray("the model has no operator of this name") << QByteArray("operator z");
}

void TestStatedLayouts::json_wrongLayouts_areRefused()
{
    QFETCH(QByteArray, members);
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, where);
    const Graph graph = network();
    std::string text = toJson(graph, scheduleOf(graph));
    text.insert(text.find("\"stages\""), members.toStdString() + ", ");
    const auto read = scheduleFromJson(text, graph, consecutiveBlocks(graph, 1), {"net", "hash"});
    QVERIFY(!read);
    QCOMPARE(QByteArray::fromStdString(read.error().message), message);
    QCOMPARE(read.error().context, std::vector<std::string>{where.toStdString()});
}

void TestStatedLayouts::make_everyLayout_computesTheSame()
{
    const auto graph = std::make_shared<const Graph>(network());
    const std::vector<Stage> stages = scheduleOf(*graph).stages;
    const auto expected = outputsOf(graph, stages);
    for (const TensorLayout a : kTensorLayouts) {
        for (const TensorLayout joined : kTensorLayouts) {
            const StatedLayouts layouts{{{"a", a}, {"b", joined}, {"c", joined}, {"joined", joined}},
                                        {{"a", a}, {"b", joined}, {"c", joined}}};
            const LaidOutSchedule made = take(LaidOutSchedule::make(*graph, layouts));
            const auto inLayouts = made.stages(stages);
            QVERIFY(verifyStages(*made.graph(), inLayouts.stages));
            const auto outputs = outputsOf(made.graph(), inLayouts.stages);
            QCOMPARE(outputs.front().values.size(), expected.front().values.size());
            for (std::size_t i = 0; i < expected.front().values.size(); ++i)
                QVERIFY(std::abs(outputs.front().values[i] - expected.front().values[i]) < 1e-4F);
        }
    }
}

void TestStatedLayouts::stages_conversions_runBeforeTheirReaders()
{
    const Graph graph = network();
    // The input is converted once, for a and for b; the output at the end.
    const auto kNhwc = TensorLayout::ChannelsLast;
    const LaidOutSchedule made = take(LaidOutSchedule::make(
        graph, {{{"a", kNhwc}, {"b", kNhwc}, {"c", kNhwc}, {"joined", kNhwc}}, {{"a", kNhwc}, {"b", kNhwc}}}));
    const auto stages = made.stages(std::vector<Stage>{
        {0, Strategy::Concurrent, {{named(graph, "a")}, {named(graph, "b")}}},
        {0, Strategy::Concurrent, {{named(graph, "c")}}},
        {0, Strategy::Concurrent, {{named(graph, "joined")}}},
    });
    QCOMPARE(stages.isConversion, (std::vector<bool>{true, false, false, false, true}));
    QCOMPARE(stages.of, (std::vector<std::size_t>{0, 0, 1, 2, 2}));
    QVERIFY(verifyStages(*made.graph(), stages.stages));
    QCOMPARE(made.original(stages.stages[0].groups[0][0]), named(graph, "a"));
    QCOMPARE(made.original(stages.stages[4].groups[0][0]), named(graph, "joined"));
}

void TestStatedLayouts::stage_conversionInsideAGroup_isPartOfIt()
{
    const Graph graph = network();
    const LaidOutSchedule made = take(LaidOutSchedule::make(
        graph, {{{"a", TensorLayout::ChannelsLast}}, {{"a", TensorLayout::RowMajor}, {"c", TensorLayout::RowMajor}}}));
    const std::vector<Stage> own{
        {0, Strategy::Concurrent, {{named(graph, "a"), named(graph, "c")}, {named(graph, "b")}}},
        {0, Strategy::Concurrent, {{named(graph, "joined")}}},
    };
    const auto stages = made.stages(own);
    QCOMPARE(stages.isConversion, (std::vector<bool>{false, false}));
    QCOMPARE(stages.stages[0].groups[0].size(), std::size_t{3});
    QVERIFY(verifyStages(*made.graph(), stages.stages));
    // In a launch order it follows what it converts.
    std::vector<Stage> ordered = own;
    ordered[0].launchOrder = {named(graph, "a"), named(graph, "b"), named(graph, "c")};
    const auto laid = made.stages(ordered);
    QVERIFY(verifyStages(*made.graph(), laid.stages));
    QCOMPARE(laid.stages[0].launchOrder.size(), std::size_t{4});
    QCOMPARE(made.original(laid.stages[0].launchOrder[0]), named(graph, "a"));
    QCOMPARE(made.original(laid.stages[0].launchOrder[1]), named(graph, "c")); // for its reader
    QCOMPARE(made.original(laid.stages[0].launchOrder[2]), named(graph, "b"));
}

// Random layouts without detours: the schedule's graph is that of the assignment, conversion by conversion.
void TestStatedLayouts::statedLayouts_ofAnAssignment_giveItBack()
{
    const Graph graph = network();
    std::mt19937 random(5);
    for (int round = 0; round < 100; ++round) {
        LayoutProblem problem = randomLayouts(graph, kTensorLayouts, random);
        std::ranges::fill(problem.conversionTables.front(), 20);
        const LayoutResult found = take(searchLayouts(problem, {}));
        const Graph expected = take(laidOut(graph, problem, found.best));
        const LaidOutSchedule made =
            take(LaidOutSchedule::make(graph, take(statedLayouts(graph, problem, found.best))));
        QCOMPARE(made.graph()->size(), expected.size());
        for (std::size_t i = 0; i < expected.tensors().size(); ++i) {
            const Tensor &tensor = expected.tensors()[i];
            const auto same = std::ranges::find(made.graph()->tensors(), tensor.name, &Tensor::name);
            QVERIFY(same != made.graph()->tensors().end());
            QCOMPARE(same->layout, tensor.layout);
        }
    }
}

STAGECRAFT_SUITE(TestStatedLayouts)

} // namespace tst_stated_layouts
#include "tst_stated_layouts.moc"
