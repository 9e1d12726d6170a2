// Lowering, placement and our own kernels, executed on the host and compared with the definition of every operator.

#include "host_device.h"

#include "gpu/plan/kernel_launch.h"
#include "schedule/verify.h"
#include "search/stages/search.h"
#include "search/streams/relaxed.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/random_streams.h"
#include "support/reference_execution.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;
using gpu::TensorLayout;

namespace tst_gpu_kernels {

namespace {

#ifdef STAGECRAFT_HALF
constexpr double kBound = 1e-2;
#else
constexpr double kBound = 1e-5;
#endif
constexpr unsigned kInterleavings = 1000;

void compareWithReference(const std::shared_ptr<const Graph> &graph, const Schedule &schedule, TensorLayout layout)
{
    const auto inputs = randomInputs(*graph, 1);
    const auto reference = referenceTensors(*graph, inputs);
    const auto outputs = runOnHost(graph, schedule, hostOptions(layout), inputs);
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE(outputs->size(), graph->outputs().size());
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const double difference = relativeDifference((*outputs)[i].values, reference[graph->outputs()[i].index()]);
        QVERIFY2(difference < kBound,
                 qPrintable(QString("%1 differs by %2").arg((*outputs)[i].name.c_str()).arg(difference)));
    }
}

} // namespace

class TestGpuKernels : public QObject {
    Q_OBJECT

private slots:
    void run_eachOperator_equalsTheReference_data();
    void run_eachOperator_equalsTheReference();
    void run_deepConvs_inEachKernel_equalTheReference_data();
    void run_deepConvs_inEachKernel_equalTheReference();
    void convKernels_parts_areOfferedToFewBlocksWithMuchToSum_data();
    void convKernels_parts_areOfferedToFewBlocksWithMuchToSum();
    void run_largeDepthwiseWindow_equalsTheReference_data();
    void run_largeDepthwiseWindow_equalsTheReference();
    void run_everySchedule_equalsTheReference_data();
    void run_everySchedule_equalsTheReference();
    void run_mergedProducts_equalTheReference_data();
    void run_mergedProducts_equalTheReference();
    void run_mergedBranches_equalTheReference_data() { layouts(); }
    void run_mergedBranches_equalTheReference();
    void run_randomGraphs_equalTheReference_data() { layouts(); }
    void run_randomGraphs_equalTheReference();
    void run_movedTensors_equalTheirDefinition_data() { layouts(); }
    void run_streamsInAnyOrder_giveTheSame();
    void run_randomStreams_giveTheSame();
    void run_movedTensors_equalTheirDefinition();

private:
    static void layouts()
    {
        QTest::addColumn<TensorLayout>("layout");
        QTest::newRow("nchw") << TensorLayout::RowMajor;
        QTest::newRow("nhwc") << TensorLayout::ChannelsLast;
    }
};

void TestGpuKernels::run_eachOperator_equalsTheReference_data()
{
    QTest::addColumn<NetworkCase>("network");
    QTest::addColumn<TensorLayout>("layout");
    for (const NetworkCase &network : operatorCases()) {
        QTest::newRow((network.name + ", nchw").c_str()) << network << TensorLayout::RowMajor;
        QTest::newRow((network.name + ", nhwc").c_str()) << network << TensorLayout::ChannelsLast;
    }
}

void TestGpuKernels::run_eachOperator_equalsTheReference()
{
    QFETCH(const NetworkCase, network);
    QFETCH(const TensorLayout, layout);
    const auto graph = network.make();
    compareWithReference(graph, sequentialSchedule(*graph, oneBlock(*graph)), layout);
}

void TestGpuKernels::run_deepConvs_inEachKernel_equalTheReference_data()
{
    QTest::addColumn<int>("groups");
    QTest::addColumn<TensorLayout>("layout");
    for (const int groups : {1, 2}) {
        QTest::addRow("%d groups, nchw", groups) << groups << TensorLayout::RowMajor;
        QTest::addRow("%d groups, nhwc", groups) << groups << TensorLayout::ChannelsLast;
    }
}

// The convolutions take turns with the kernels: all six compute the same one, on an image that a concat reads, too.
void TestGpuKernels::run_deepConvs_inEachKernel_equalTheReference()
{
    QFETCH(const int, groups);
    QFETCH(const TensorLayout, layout);
    constexpr int kKernels = 6;
    NetworkMaker make(Shape{{2, 114 * groups, 5, 7}});
    InputExpression made;
    for (int i = 0; i < kKernels; ++i)
        made.push_back({make.conv({{make.x()}}, 38, window(3, 2), kRelu, {}, groups)});
    make.join(std::move(made));
    const auto graph = make.build();
    compareWithReference(graph, sequentialSchedule(*graph, oneBlock(*graph)), layout);
}

void TestGpuKernels::convKernels_parts_areOfferedToFewBlocksWithMuchToSum_data()
{
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("size");
    QTest::addColumn<QStringList>("parts");
    QTest::newRow("Inception V3, 8x8") << 448 << 8 << QStringList{"2", "4", "8", "16"};
    QTest::newRow("many blocks") << 448 << 35 << QStringList{};
    QTest::newRow("some blocks") << 448 << 16 << QStringList{"2", "4"};
    QTest::newRow("little to sum") << 16 << 8 << QStringList{"2"};
}

void TestGpuKernels::convKernels_parts_areOfferedToFewBlocksWithMuchToSum()
{
    QFETCH(const int, channels);
    QFETCH(const int, size);
    QFETCH(const QStringList, parts);
    gpu::ConvTask conv;
    conv.x.dims = conv.y.dims = {1, channels, size, size};
    conv.w.dims = {channels, channels, 3, 3};
    conv.window = window(3);
    QStringList offered;
    for (const std::string &kernel : gpu::convKernels(conv)) {
        const std::string tail = kernel.substr(kernel.find('/') + 1);
        const bool makesParts = tail != kernel;
        QCOMPARE(gpu::convWorkspaceBytes(conv, kernel),
                 makesParts ? sizeof(float) * std::stoul(tail) * static_cast<std::size_t>(channels * size * size) : 0);
        if (makesParts)
            offered << QString::fromStdString(tail);
    }
    QCOMPARE(offered, parts);
}

void TestGpuKernels::run_largeDepthwiseWindow_equalsTheReference_data()
{
    QTest::addColumn<int>("kernel");
    QTest::addColumn<int>("dilation");
    QTest::addColumn<int>("stride");
    QTest::addColumn<TensorLayout>("layout");
    for (const TensorLayout layout : {TensorLayout::RowMajor, TensorLayout::ChannelsLast}) {
        const char *name = layout == TensorLayout::RowMajor ? "nchw" : "nhwc";
        QTest::addRow("of a smaller tile, %s", name) << 101 << 1 << 1 << layout;
        QTest::addRow("too large to stage, %s", name) << 131 << 1 << 1 << layout;
        QTest::addRow("too far apart to stage, %s", name) << 3 << 70 << 2 << layout;
    }
}

void TestGpuKernels::run_largeDepthwiseWindow_equalsTheReference()
{
    QFETCH(const int, kernel);
    QFETCH(const int, dilation);
    QFETCH(const int, stride);
    QFETCH(const TensorLayout, layout);
    NetworkMaker make(Shape{{1, 5, 17, 38}});
    const TensorId a = make.conv({{make.x()}}, 5, window(1));
    make.conv({{a, make.x()}}, 5, window(kernel, stride, dilation), kRelu, kRelu, 5);
    const auto graph = make.build();
    compareWithReference(graph, sequentialSchedule(*graph, oneBlock(*graph)), layout);
}

void TestGpuKernels::run_everySchedule_equalsTheReference_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("batch");
    QTest::addColumn<TensorLayout>("layout");
    for (const int width : {16, 12, 3}) {
        for (const int batch : {1, 2}) {
            QTest::addRow("width %d, batch %d, nchw", width, batch) << width << batch << TensorLayout::RowMajor;
            QTest::addRow("width %d, batch %d, nhwc", width, batch) << width << batch << TensorLayout::ChannelsLast;
        }
    }
}

void TestGpuKernels::run_everySchedule_equalsTheReference()
{
    QFETCH(int, width);
    QFETCH(int, batch);
    QFETCH(const TensorLayout, layout);
    const auto graph = inceptionModule(width, batch);
    const Blocks blocks = oneBlock(*graph);
    QVERIFY(verifySchedule(*graph, blocks, mergedSchedule()));
    for (const Schedule &schedule :
         {sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks), mergedSchedule()})
        compareWithReference(graph, schedule, layout);
}

void TestGpuKernels::run_mergedProducts_equalTheReference_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("input");
    QTest::addColumn<bool>("transposed");
    QTest::newRow("one row") << std::vector<std::int64_t>{1, 100} << false;
    QTest::newRow("rows") << std::vector<std::int64_t>{7, 12} << true;
    QTest::newRow("a stack") << std::vector<std::int64_t>{2, 7, 12} << false;
    QTest::newRow("a stack of stacks") << std::vector<std::int64_t>{3, 2, 7, 12} << false;
    QTest::newRow("a row in a stack of stacks") << std::vector<std::int64_t>{1, 1, 1, 12} << true;
}

void TestGpuKernels::run_mergedProducts_equalTheReference()
{
    QFETCH(const std::vector<std::int64_t>, input);
    QFETCH(const bool, transposed);
    const auto graph = productsOfOneInput(Shape{input}, transposed, kRelu);
    compareWithReference(graph, sequentialSchedule(*graph, oneBlock(*graph)), TensorLayout::RowMajor);
    for (const TensorLayout layout : {TensorLayout::RowMajor, TensorLayout::ChannelsLast}) {
        compareWithReference(graph, mergedProducts(), layout);
        compareWithReference(equalProducts(Shape{input}, transposed, kRelu), mergedBranches(), layout);
    }
}

void TestGpuKernels::run_mergedBranches_equalTheReference()
{
    QFETCH(const TensorLayout, layout);
    for (const auto &[channels, out, groups] : {std::array{16, 16, 1}, {5, 3, 1}, {16, 32, 4}, {32, 32, 32}})
        compareWithReference(equalBranches(channels, out, groups), mergedBranches(), layout);
}

void TestGpuKernels::run_randomGraphs_equalTheReference()
{
    QFETCH(const TensorLayout, layout);
    std::minstd_rand random(3);
    for (int round = 0; round < 12; ++round) {
        const auto graph = randomNetwork(random, round);
        const Blocks blocks = oneBlock(*graph);
        compareWithReference(graph, sequentialSchedule(*graph, blocks), layout);
        compareWithReference(graph, greedySchedule(*graph, blocks), layout);
        if (QTest::currentTestFailed())
            return;
    }
}

// Streams run at any speed: with what the plan lets wait, and nothing else, the results are the same to the last bit.
void TestGpuKernels::run_streamsInAnyOrder_giveTheSame()
{
    std::minstd_rand random(5);
    for (int round = 0; round < 6; ++round) {
        const auto graph = round == 0 ? inceptionModule(8, 2) : randomNetwork(random, round);
        const Blocks blocks = oneBlock(*graph);
        const gpu::GpuOptions options = hostOptions(gpu::TensorLayout::RowMajor);
        const auto inputs = randomInputs(*graph, 1);
        std::vector<Schedule> schedules{sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks)};
        if (round == 0)
            schedules.push_back(mergedSchedule());
        for (const Schedule &schedule : schedules) {
            const auto expected = take(runOnHost(graph, schedule, options, inputs));
            for (const Schedule &each : {schedule, Schedule{.streams = relaxedStreams(*graph, schedule.stages)}}) {
                for (unsigned seed = 1; seed <= 3; ++seed) {
                    const auto outputs = take(runOnHost(graph, each, options, inputs, nullptr, seed));
                    for (std::size_t i = 0; i < outputs.size(); ++i)
                        QVERIFY2(outputs[i].values == expected[i].values, qPrintable(QString("round %1").arg(round)));
                }
            }
        }
    }
}

// 1,000 legal orders of random streams, on random networks.
void TestGpuKernels::run_randomStreams_giveTheSame()
{
    std::minstd_rand random(9);
    std::mt19937 forStreams(9);
    for (int round = 0; round < 10; ++round) {
        const auto graph = randomNetwork(random, round);
        const gpu::GpuOptions options = hostOptions(gpu::TensorLayout::RowMajor);
        const auto inputs = randomInputs(*graph, 1);
        const auto expected = take(runOnHost(graph, sequentialSchedule(*graph, oneBlock(*graph)), options, inputs));
        for (unsigned each = 0; each < kInterleavings / 10; ++each) {
            const Schedule schedule{.streams = randomStreams(*graph, 1 + each % 5, forStreams)};
            const auto outputs = take(runOnHost(graph, schedule, options, inputs, nullptr, each));
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const double difference = relativeDifference(outputs[i].values, expected[i].values);
                QVERIFY2(difference < kBound,
                         qPrintable(QString("round %1, %2: %3").arg(round).arg(each).arg(difference)));
            }
        }
    }
}

// The reference has no transpose, slice, split, softmax and broadcasting: a chain of them with a known result.
void TestGpuKernels::run_movedTensors_equalTheirDefinition()
{
    QFETCH(const TensorLayout, layout);
    GraphBuilder builder("moves");
    const TensorId x = take(builder.addInput("x", Shape{{2, 6, 3, 4}}));
    const auto generic = [&](const char *name, const char *type, OperatorKind kind, TensorId input,
                             std::vector<NamedAttribute> values, std::vector<Shape> shapes) {
        Operator op;
        op.name = name;
        op.type = type;
        op.kind = kind;
        op.attributes = GenericAttributes{std::move(values)};
        op.inputs = {{input}};
        std::vector<Tensor> outputs;
        for (std::size_t i = 0; i < shapes.size(); ++i)
            outputs.push_back({std::string(name) + std::to_string(i), shapes[i], DataType::Float32, {}});
        return take(builder.add(std::move(op), std::move(outputs)));
    };
    generic("transpose", "Transpose", OperatorKind::Transpose, x, {{"perm", std::vector<std::int64_t>{0, 2, 3, 1}}},
            {Shape{{2, 3, 4, 6}}});
    generic("slice", "Slice", OperatorKind::Slice, x,
            {{"axes", std::vector<std::int64_t>{1, 3}},
             {"ends", std::vector<std::int64_t>{6, 4}},
             {"starts", std::vector<std::int64_t>{1, -3}}},
            {Shape{{2, 5, 3, 3}}});
    generic("split", "Split", OperatorKind::Split, x, {{"axis", 1}}, {Shape{{2, 2, 3, 4}}, Shape{{2, 4, 3, 4}}});
    generic("softmax", "Softmax", OperatorKind::Softmax, x, {{"axis", 1}}, {Shape{{2, 6, 3, 4}}});
    Operator scaled;
    scaled.name = "scaled";
    scaled.type = "Mul";
    scaled.kind = OperatorKind::Elementwise;
    scaled.attributes = GenericAttributes{};
    scaled.inputs = {{x}};
    scaled.parameters = {
        {"operand1", "factors", Shape{{6, 1, 1}}, DataType::Float32, shared(std::vector<float>{1, 2, 3, 4, 5, 6})}};
    take(builder.add(std::move(scaled), {{"scaled0", Shape{{2, 6, 3, 4}}, DataType::Float32, {}}}));
    const auto graph = std::make_shared<const Graph>(take(builder.build()));

    const auto inputs = randomInputs(*graph, 5);
    const auto at = [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
        return inputs[0].values[static_cast<std::size_t>(((n * 6 + c) * 3 + h) * 4 + w)];
    };
    const auto outputs =
        take(runOnHost(graph, sequentialSchedule(*graph, oneBlock(*graph)), hostOptions(layout), inputs));
    std::map<std::string, std::vector<float>> expected;
    for (std::int64_t n = 0; n < 2; ++n) {
        for (std::int64_t h = 0; h < 3; ++h) {
            for (std::int64_t w = 0; w < 4; ++w) {
                for (std::int64_t c = 0; c < 6; ++c)
                    expected["transpose0"].push_back(at(n, c, h, w));
            }
        }
        for (std::int64_t c = 0; c < 6; ++c) {
            for (std::int64_t h = 0; h < 3; ++h) {
                for (std::int64_t w = 0; w < 4; ++w) {
                    if (c >= 1 && w >= 1)
                        expected["slice0"].push_back(at(n, c, h, w));
                    expected[c < 2 ? "split0" : "split1"].push_back(at(n, c, h, w));
                    float sum = 0;
                    for (std::int64_t other = 0; other < 6; ++other)
                        sum += std::exp(at(n, other, h, w));
                    expected["softmax0"].push_back(std::exp(at(n, c, h, w)) / sum);
                    expected["scaled0"].push_back(at(n, c, h, w) * static_cast<float>(c + 1));
                }
            }
        }
    }
    QCOMPARE(outputs.size(), expected.size());
    for (const HostTensor &output : outputs)
        QVERIFY2(relativeDifference(output.values, expected.at(output.name)) < kBound, output.name.c_str());
}

STAGECRAFT_SUITE(TestGpuKernels)

} // namespace tst_gpu_kernels
#include "tst_gpu_kernels.moc"
