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
}

void BuiltInTest::builtInNetwork_torchvision_hasItsParametersAndMultiplications()
{
    QFETCH(std::int64_t, parameters);
    QFETCH(double, billions);
    const auto network = builtInNetwork(QTest::currentDataTag());
    QVERIFY2(network, network ? "" : qPrintable(test::describe(network.error())));
    QVERIFY(verifyBlocks(network->graph, network->blocks));
    std::int64_t own = 0;
    std::int64_t multiplications = 0;
    for (const Operator &op : network->graph.operators()) {
        if (!op.conv())
            continue;
        const Shape &output = network->graph.tensor(op.outputs.front()).shape;
        const std::int64_t weights = op.parameter("weight")->shape.elements();
        // A folded batch normalisation leaves a bias; torchvision counts its scale as well.
        own += weights + (op.name == "fc" ? 1 : 2) * op.conv()->outChannels;
        multiplications += weights * output.height() * output.width();
    }
    QCOMPARE(own, parameters);
    QCOMPARE(std::round(static_cast<double>(multiplications) / 1e6) / 1e3, billions);
    QCOMPARE(network->graph.tensor(network->graph.outputs().front()).shape.dims,
             (std::vector<std::int64_t>{1, 1000, 1, 1}));
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
    QTest::newRow("unknown") << "alexnet" << 1LL << 375LL << "there is no built-in network alexnet";
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
