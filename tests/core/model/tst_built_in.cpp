#include "graph_compare.h"
#include "model/built_in.h"
#include "model/ios_json.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_built_in {

namespace {

const std::string kData = sourcePath("tests/data/ios/").toStdString();

// `isNormalised`: a folded batch normalisation leaves a bias, and its scale is counted as well, as published counts do.
std::int64_t parametersOf(const Graph &graph, bool isNormalised)
{
    std::int64_t count = 0;
    for (const Operator &op : graph.operators()) {
        for (const Parameter &parameter : op.parameters) {
            const bool isBias = parameter.role.find("bias") != std::string::npos;
            const bool hasScale = isBias && isNormalised && op.name != "fc" && parameter.role != "depthwise_bias";
            if (parameter.type == DataType::Float32 && parameter.role != "depthwise_bias")
                count += (hasScale ? 2 : 1) * parameter.shape.elements();
        }
    }
    return count;
}

} // namespace

class BuiltInTest : public QObject {
    Q_OBJECT

private slots:
    void builtInNetwork_published_sameGraphAndBlocks_data();
    void builtInNetwork_published_sameGraphAndBlocks();
    void builtInNetwork_anyName_countsUnitsAsThePaper_data();
    void builtInNetwork_anyName_countsUnitsAsThePaper();
    void builtInNetwork_sample_isAsPublished();
    void builtInNetwork_torchvision_hasItsParametersAndMultiplications_data();
    void builtInNetwork_torchvision_hasItsParametersAndMultiplications();
    void builtInNetwork_resnext29_isAsPublished();
    void builtInNetwork_nasnetCifar_isAsPublished();
    void builtInNetwork_batch_scalesShapesAndKeepsHash();
    void builtInNetwork_badArguments_refuses_data();
    void builtInNetwork_badArguments_refuses();
};

void BuiltInTest::builtInNetwork_published_sameGraphAndBlocks_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("blocks");
    QTest::newRow("inception_v3") << "inception_v3" << 13;
    QTest::newRow("randwire") << "randwire_large" << 6;
    QTest::newRow("nasnet") << "nasnet_large" << 25;
    QTest::newRow("squeezenet") << "squeezenet" << 12;
}

void BuiltInTest::builtInNetwork_published_sameGraphAndBlocks()
{
    QFETCH(QString, file);
    QFETCH(int, blocks);
    const auto published = readIosJson(kData + file.toStdString() + ".json");
    QVERIFY2(published, published ? "" : qPrintable(test::describe(published.error())));
    const auto builtIn = builtInNetwork(QTest::currentDataTag());
    QVERIFY2(builtIn, builtIn ? "" : qPrintable(test::describe(builtIn.error())));
    QCOMPARE(test::difference(builtIn->graph, published->graph), QString());
    QCOMPARE(builtIn->blocks.size(), std::size_t(blocks));
    QCOMPARE(builtIn->blocks, published->blocks);
    QVERIFY(verifyBlocks(builtIn->graph, builtIn->blocks));
    QVERIFY(builtIn->unitsFormed);
}

void BuiltInTest::builtInNetwork_anyName_countsUnitsAsThePaper_data()
{
    using Counts = std::map<QString, int>;
    QTest::addColumn<Counts>("expected");
    QTest::newRow("sample") << Counts{{"Conv-Relu", 4}, {"Concat", 1}};
    QTest::newRow("inception_v3") << Counts{
        {"Conv-Relu", 94}, {"AveragePool", 9}, {"MaxPool", 4}, {"GlobalAveragePool", 1}, {"Concat", 11}};
    QTest::newRow("randwire") << Counts{{"Relu-SepConv", 112}, {"Conv", 2}, {"Add", 3},
                                        {"Identity", 1},       {"Relu", 1}, {"GlobalAveragePool", 1}};
    QTest::newRow("nasnet") << Counts{
        {"Relu-SepConv", 220}, {"Relu-Conv", 47}, {"AveragePool", 62}, {"MaxPool", 8}, {"GlobalAveragePool", 1},
        {"Add-Concat", 22},    {"Add", 9},        {"Concat", 3},       {"Conv", 1},    {"Relu", 1}};
    QTest::newRow("squeezenet") << Counts{
        {"Conv-Relu", 30}, {"MaxPool", 3}, {"GlobalAveragePool", 1}, {"Concat", 8}, {"Add", 8}};
}

void BuiltInTest::builtInNetwork_anyName_countsUnitsAsThePaper()
{
    using Counts = std::map<QString, int>;
    QFETCH(Counts, expected);
    const auto network = builtInNetwork(QTest::currentDataTag());
    QVERIFY(network);
    Counts counts;
    for (const Operator &op : network->graph.operators())
        ++counts[test::text(displayType(op))];
    for (const auto &[type, count] : expected)
        QVERIFY2(counts[type] == count, qPrintable(QString("%1: %2").arg(type).arg(counts[type])));
    QCOMPARE(counts.size(), expected.size());
}

// "num_params" and "GFLOPS" (multiplications) of torchvision's weights; GoogLeNet without auxiliary classifiers.
void BuiltInTest::builtInNetwork_torchvision_hasItsParametersAndMultiplications_data()
{
    QTest::addColumn<std::int64_t>("parameters");
    QTest::addColumn<double>("billions");
    QTest::newRow("resnet50") << std::int64_t{25'557'032} << 4.089;
    QTest::newRow("resnet101") << std::int64_t{44'549'160} << 7.801;
    QTest::newRow("mobilenet_v2") << std::int64_t{3'504'872} << 0.301;
    QTest::newRow("shufflenet_v2") << std::int64_t{2'278'604} << 0.145;
    QTest::newRow("googlenet") << std::int64_t{6'624'904} << 1.498;
    QTest::newRow("alexnet") << std::int64_t{61'100'840} << 0.714;
}

void BuiltInTest::builtInNetwork_torchvision_hasItsParametersAndMultiplications()
{
    QFETCH(std::int64_t, parameters);
    QFETCH(double, billions);
    const auto network = builtInNetwork(QTest::currentDataTag());
    QVERIFY2(network, network ? "" : qPrintable(test::describe(network.error())));
    QVERIFY(verifyBlocks(network->graph, network->blocks));
    std::int64_t multiplications = 0;
    for (const Operator &op : network->graph.operators()) {
        if (!op.parameter("weight"))
            continue;
        const Shape &output = network->graph.tensor(op.outputs.front()).shape;
        const std::int64_t pixels = op.conv() ? output.height() * output.width() : 1;
        multiplications += op.parameter("weight")->shape.elements() * pixels;
    }
    const bool isNormalised = qstrcmp(QTest::currentDataTag(), "alexnet") != 0;
    QCOMPARE(parametersOf(network->graph, isNormalised), parameters);
    QCOMPARE(std::round(static_cast<double>(multiplications) / 1e6) / 1e3, billions);
    QCOMPARE(network->graph.tensor(network->graph.outputs().front()).shape.elements(), std::int64_t{1000});
}

void BuiltInTest::builtInNetwork_sample_isAsPublished()
{
    const auto sample = builtInNetwork("sample", {.sampleChannels = 384});
    QVERIFY(sample);
    const Graph &graph = sample->graph;
    QCOMPARE(test::text(toString(graph.tensor(graph.inputs().front()).shape)), QString("1x384x15x15"));
    QCOMPARE(test::text(toString(graph.outputShape(*graph.find("conv2")))), QString("1x768x15x15"));
    QCOMPARE(test::text(toString(graph.outputShape(*graph.find("concat")))), QString("1x1920x15x15"));
    QCOMPARE(graph.predecessors(*graph.find("conv4")).front(), *graph.find("conv1"));
    QCOMPARE(sample->blocks.size(), std::size_t(1));
}

// Parameters of ResNeXt-29, 16x64d for CIFAR-10: 68.1 million in the paper (table 7), 68,155,210 when counted.
void BuiltInTest::builtInNetwork_resnext29_isAsPublished()
{
    const Graph graph = builtInNetwork("resnext29").value().graph;
    QCOMPARE(parametersOf(graph, true), std::int64_t{68'155'210});
    QCOMPARE(toString(graph.outputShape(*graph.find("layer1/2/relu"))), "1x256x32x32");
    QCOMPARE(toString(graph.outputShape(*graph.find("layer2/0/branch15/conv2"))), "1x128x16x16");
    QCOMPARE(toString(graph.outputShape(*graph.find("layer3/2/concat"))), "1x4096x8x8");
    QCOMPARE(toString(graph.outputShape(*graph.find("layer3/2/relu"))), "1x1024x8x8");
    QCOMPARE(graph.predecessors(*graph.find("layer1/0/concat")).size(), std::size_t{16});
}

// 3.3 million parameters (Zoph et al. 2018, table 1), and the shapes that TensorFlow's own tests expect.
void BuiltInTest::builtInNetwork_nasnetCifar_isAsPublished()
{
    const Graph graph = builtInNetwork("nasnet_cifar").value().graph;
    const auto shape = [&](const char *name) { return toString(graph.outputShape(*graph.find(name))); };
    QCOMPARE(std::round(static_cast<double>(parametersOf(graph, true)) / 1e5) / 10, 3.3);
    QCOMPARE(shape("stem"), "1x96x32x32");
    QCOMPARE(shape("cell0/concat"), "1x192x32x32");
    QCOMPARE(shape("cell5/concat"), "1x192x32x32");
    QCOMPARE(shape("reduction1/concat"), "1x256x16x16");
    QCOMPARE(shape("cell6/concat"), "1x384x16x16");
    QCOMPARE(shape("reduction2/concat"), "1x512x8x8");
    QCOMPARE(shape("cell17/concat"), "1x768x8x8");
}

void BuiltInTest::builtInNetwork_batch_scalesShapesAndKeepsHash()
{
    const auto one = builtInNetwork("squeezenet");
    const auto many = builtInNetwork("squeezenet", {.batch = 32});
    QVERIFY(one && many);
    QCOMPARE(many->graph.batch(), std::int64_t(32));
    QCOMPARE(test::text(toString(many->graph.tensor(many->graph.outputs().front()).shape)), QString("32x1000x1x1"));
    QCOMPARE(one->sha256, many->sha256);
    QCOMPARE(one->sha256.size(), std::size_t(64));
    QVERIFY(one->sha256 != builtInNetwork("sample")->sha256);
}

void BuiltInTest::builtInNetwork_badArguments_refuses_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<qint64>("channels");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown") << "vgg16" << 1LL << 375LL << "there is no built-in network vgg16";
    QTest::newRow("batch 0") << "sample" << 0LL << 375LL << "a batch of 0 makes no sense";
    QTest::newRow("no channels") << "sample" << 1LL << 0LL << "0 channels make no sense for the sample network";
    QTest::newRow("absurd batch") << "sample" << (1LL << 40) << 375LL << "absurdly large";
}

void BuiltInTest::builtInNetwork_badArguments_refuses()
{
    QFETCH(QString, name);
    QFETCH(qint64, batch);
    QFETCH(qint64, channels);
    QFETCH(QString, message);
    const auto network = builtInNetwork(name.toStdString(), {.batch = batch, .sampleChannels = channels});
    QVERIFY(!network);
    QVERIFY2(test::describe(network.error()).contains(message), qPrintable(test::describe(network.error())));
}

STAGECRAFT_SUITE(BuiltInTest)

} // namespace tst_built_in
#include "tst_built_in.moc"
