#include "graph_compare.h"
#include "model/built_in.h"
#include "model/onnx_export.h"
#include "model/onnx_import.h"
#include "model/rewrite/cut_blocks.h"
#include "operators/parameter_values.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;

namespace tst_onnx_round_trip {

class OnnxRoundTripTest : public QObject {
    Q_OBJECT

private slots:
    void exportOnnx_builtIn_readsBackAsTheSameUnits_data();
    void exportOnnx_builtIn_readsBackAsTheSameUnits();
    void exportOnnx_largeWeights_goToDataFile();
    void exportOnnx_noFolder_refusesAndLeavesNothing();
    void exportOnnx_unknownOperator_refuses();
};

void OnnxRoundTripTest::exportOnnx_builtIn_readsBackAsTheSameUnits_data()
{
    QTest::addColumn<int>("units");
    QTest::addColumn<bool>("sameBlocks");
    QTest::newRow("sample") << 5 << true;
    QTest::newRow("inception_v3") << 119 << true;
    QTest::newRow("randwire") << 120 << true;
    QTest::newRow("nasnet") << 374 << false; // its last two parts become one block
    QTest::newRow("squeezenet") << 50 << true;
}

void OnnxRoundTripTest::exportOnnx_builtIn_readsBackAsTheSameUnits()
{
    QFETCH(int, units);
    QFETCH(bool, sameBlocks);
    const auto network = builtInNetwork(QTest::currentDataTag());
    QVERIFY(network);
    QTemporaryDir folder;
    const std::string path = folder.filePath("net.onnx").toStdString();
    const auto written = exportOnnx(network->graph, path);
    QVERIFY2(written, written ? "" : qPrintable(test::describe(written.error())));

    const auto read = importOnnx({path});
    QVERIFY2(read, read ? "" : qPrintable(test::describe(read.error())));
    QVERIFY(!read->unitsFormed);
    QVERIFY(read->report.unknownTypes.empty());
    const auto formed = test::formedUnits(read->graph, read->keptApart);
    QVERIFY2(formed, formed ? "" : qPrintable(test::describe(formed.error())));
    QCOMPARE(formed->size(), std::size_t(units));
    QCOMPARE(test::difference(*formed, network->graph), QString());
    for (std::size_t i = 0; i < formed->size(); ++i)
        QCOMPARE(formed->operators()[i].name, network->graph.operators()[i].name);
    const Blocks blocks = cutBlocks(*formed);
    QCOMPARE(blocks == network->blocks, sameBlocks);
    QCOMPARE(blocks, cutBlocks(network->graph));
    // Weights are equal to the last bit.
    const Parameter &before = network->graph.operators()[0].parameters[0];
    const Parameter &after = formed->operators()[0].parameters[0];
    QVERIFY(after.values);
    QVERIFY(*after.values == *typedValues(before));
}

void OnnxRoundTripTest::exportOnnx_largeWeights_goToDataFile()
{
    const auto network = builtInNetwork("sample", {.sampleChannels = 16});
    QVERIFY(network);
    QTemporaryDir folder;
    const std::string path = folder.filePath("net.onnx").toStdString();
    QVERIFY(exportOnnx(network->graph, path, {.externalAboveBytes = 1000}));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), (QStringList{"net.onnx", "net.onnx.data"}));
    const auto read = importOnnx({path});
    QVERIFY2(read, read ? "" : qPrintable(test::describe(read.error())));
    const auto formed = test::formedUnits(read->graph, read->keptApart);
    QVERIFY(formed);
    QCOMPARE(test::difference(*formed, network->graph), QString());
    for (std::size_t i = 0; i < 4; ++i) {
        const Parameter &before = network->graph.operators()[i].parameters[0];
        QVERIFY(*formed->operators()[i].parameters[0].values == *typedValues(before));
    }
    // The model is refused if the data file is missing or too short.
    const QString data = folder.filePath("net.onnx.data");
    QVERIFY(QFile::resize(data, 100));
    QVERIFY(test::describe(importOnnx({path}).error()).contains("is cut short"));
    QVERIFY(QFile::remove(data));
    QVERIFY(test::describe(importOnnx({path}).error()).contains("net.onnx.data is missing"));
}

void OnnxRoundTripTest::exportOnnx_noFolder_refusesAndLeavesNothing()
{
    const auto network = builtInNetwork("sample", {.sampleChannels = 4});
    QVERIFY(network);
    QTemporaryDir folder;
    const auto written = exportOnnx(network->graph, folder.filePath("missing/net.onnx").toStdString());
    QVERIFY(!written);
    QVERIFY(test::describe(written.error()).contains("cannot be written"));
    QVERIFY(QDir(folder.path()).isEmpty());
}

void OnnxRoundTripTest::exportOnnx_unknownOperator_refuses()
{
    GraphBuilder builder("odd");
    const TensorId input = *builder.addInput("in", {{1, 4}});
    Operator op{"mystery", "com.example::Mystery", OperatorKind::Unknown, GenericAttributes{}, {{input}}, {}, {}};
    QVERIFY(builder.add(std::move(op), {Tensor{"out", Shape{{1, 4}}, DataType::Float32, {}}}));
    const auto graph = builder.build();
    QVERIFY(graph);
    QTemporaryDir folder;
    const auto written = exportOnnx(*graph, folder.filePath("net.onnx").toStdString());
    QVERIFY(!written);
    QVERIFY(test::describe(written.error()).contains("operator mystery: the program does not know operators of type"));
    QVERIFY(QDir(folder.path()).isEmpty());
}

STAGECRAFT_SUITE(OnnxRoundTripTest)

} // namespace tst_onnx_round_trip
#include "tst_onnx_round_trip.moc"
