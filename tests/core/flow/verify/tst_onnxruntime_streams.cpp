// Files of streams for ONNX Runtime: every node of the model once, and what is wrong by name.

#include "flow/verify/onnxruntime_streams.h"

#include "model/onnx_import.h"
#include "support/cli_process.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/places.h"
#include "support/profile_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <random>
#include <stop_token>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnxruntime_streams {

namespace {

constexpr int kPlans = 1000;

using Streams = QList<QStringList>;

Model residual()
{
    return take(openedModel(sourcePath("tests/data/onnx/residual.onnx").toStdString()));
}

QStringList nodesOf(const Model &model)
{
    QStringList names;
    for (const auto &[name, isConstant] : take(onnxNodeNames(model.source)))
        names << QString::fromStdString(name);
    return names;
}

std::string fileOf(const Streams &streams, qsizetype devices)
{
    QJsonArray all;
    for (const QStringList &stream : streams)
        all << QJsonArray::fromStringList(stream);
    QJsonArray devicesOf;
    for (qsizetype i = 0; i < devices; ++i)
        devicesOf << "0";
    return QJsonDocument(QJsonObject{{"type", "DeviceBasedPartitioner"}, {"devices", devicesOf}, {"streams", all}})
        .toJson()
        .toStdString();
}

// "kind: reason", a line each.
QStringList told(const VerifiedPlan &verified)
{
    QStringList lines;
    for (const PlanFault &fault : verified.faults)
        lines << QString::fromStdString(fault.kind + ": " + fault.reason);
    return lines;
}

} // namespace

class TestOnnxRuntimeStreams : public QObject {
    Q_OBJECT

private slots:
    void verify_anyNodeLeftOut_isFound();
    void verify_wrongStreams_areNamed();
    void verify_namesThatOnnxRuntimeGives_areKnown();
    void verify_constants_mayBeLeftOut();
    void verify_stopRequested_isCancelled();
    void verify_otherFiles_areRefused_data();
    void verify_otherFiles_areRefused();
    void verify_modelThatIsNoOnnxFile_isRefused();
};

void TestOnnxRuntimeStreams::verify_anyNodeLeftOut_isFound()
{
    const Model model = residual();
    const QStringList nodes = nodesOf(model);
    QVERIFY(nodes.size() > 3 && !nodes.contains(QString()));
    std::mt19937 random(45);
    for (int round = 0; round < kPlans; ++round) {
        Streams streams(1 + static_cast<qsizetype>(random() % 4));
        for (const QString &node : nodes)
            streams[static_cast<qsizetype>(random() % static_cast<std::size_t>(streams.size()))] << node;
        streams.removeAll(QStringList());
        const VerifiedPlan passed = take(verifyOnnxRuntimeStreams(fileOf(streams, streams.size()), model));
        QCOMPARE(told(passed), QStringList());
        QCOMPARE(passed.launches.value_or(0), static_cast<std::size_t>(nodes.size()));
        const QString out = nodes[static_cast<qsizetype>(random() % static_cast<std::size_t>(nodes.size()))];
        for (QStringList &stream : streams)
            stream.removeAll(out);
        streams.removeAll(QStringList());
        QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf(streams, streams.size()), model))),
                 QStringList{QString("node left out: %1 is in no stream: ONNX Runtime refuses the file").arg(out)});
    }
}

void TestOnnxRuntimeStreams::verify_wrongStreams_areNamed()
{
    const Model model = residual();
    const QStringList nodes = nodesOf(model);
    const QString first = nodes.first();
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({nodes, {first, "elsewhere"}}, 1), model))),
             (QStringList{
                 "number of devices: it names 1 device for 2 streams: ONNX Runtime passes over the file",
                 QString("node twice: %1 is in stream 1 and in stream 2: ONNX Runtime takes one of them").arg(first),
                 "unknown node: elsewhere is in stream 2, and the model has no node of this name: ONNX Runtime passes "
                 "over it"}));
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({nodes + QStringList{first}}, 1), model))),
             QStringList{QString("node twice: %1 is twice in stream 1").arg(first)});
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({nodes, {}}, 2), model))),
             QStringList{"empty stream: stream 2 has no nodes: ONNX Runtime crashes"});
}

// The file is as ONNX Runtime wrote it for the model: it calls a node that has no name Conv0, as another is called.
void TestOnnxRuntimeStreams::verify_namesThatOnnxRuntimeGives_areKnown()
{
    const QString path = sourcePath("tests/data/plans/nameless");
    const Model model = take(openedModel((path + ".onnx").toStdString()));
    const VerifiedPlan passed = take(verifyOnnxRuntimeStreams(contentOf(path + ".streams.json").toStdString(), model));
    QCOMPARE(told(passed), QStringList());
    QCOMPARE(passed.notShown.back(),
             std::string("4 nodes of the model that have no name: ONNX Runtime gives them one"));
    const QStringList others{"Conv2", "Relu00", "MatMul", "Conv99999999999999999999", "7"};
    QStringList expected;
    for (const QString &name : others)
        expected << QString("unknown node: %1 is in stream 1, and the model has no node of this name: ONNX Runtime "
                            "passes over it")
                        .arg(name);
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({QStringList{"Conv0", "r"} + others}, 1), model))), expected);
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({nodesOf(residual()), {"Conv0"}}, 2), residual()))).size(), 1);
}

// ONNX Runtime makes weights of them, and runs the model without them in the file.
void TestOnnxRuntimeStreams::verify_constants_mayBeLeftOut()
{
    const Model model = take(openedModel(sourcePath("tests/data/plans/constant.onnx").toStdString()));
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({{"sum", "relu"}}, 1), model))), QStringList());
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({{"two", "sum", "relu"}}, 1), model))), QStringList());
    QCOMPARE(told(take(verifyOnnxRuntimeStreams(fileOf({{"two", "sum"}}, 1), model))).size(), 1);
}

void TestOnnxRuntimeStreams::verify_stopRequested_isCancelled()
{
    std::stop_source source;
    source.request_stop();
    const Model model = residual();
    const auto verified = verifyOnnxRuntimeStreams(fileOf({nodesOf(model)}, 1), model, source.get_token());
    QVERIFY(!verified && verified.error().code == ErrorCode::Cancelled);
}

void TestOnnxRuntimeStreams::verify_otherFiles_areRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("no devices") << QByteArray(R"({"streams": []})") << "partition: \"devices\" is not a list";
    QTest::newRow("no streams") << QByteArray(R"({"devices": []})") << "partition: \"streams\" is not a list";
    QTest::newRow("devices that are numbers")
        << QByteArray(R"({"devices": [0], "streams": [[]]})") << "devices: it is not a list of names";
    QTest::newRow("a stream that is a name")
        << QByteArray(R"({"devices": ["0"], "streams": ["a"]})") << "stream 1: it is not a list of names";
    QTest::newRow("cut short") << QByteArray(R"({"devices": ["0"])")
                               << "is no file of streams: it is not JSON, or it is cut short";
}

void TestOnnxRuntimeStreams::verify_otherFiles_areRefused()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const auto verified = verifyOnnxRuntimeStreams(text.toStdString(), residual());
    QVERIFY(!verified);
    QCOMPARE(errorOf(verified.error()), says);
}

void TestOnnxRuntimeStreams::verify_modelThatIsNoOnnxFile_isRefused()
{
    const auto verified = verifyOnnxRuntimeStreams(fileOf({}, 0), take(openedModel("sample")));
    QVERIFY(!verified);
    QCOMPARE(errorOf(verified.error()),
             QString("sample: the streams of ONNX Runtime name the nodes of an ONNX file, and this is none"));
}

STAGECRAFT_SUITE(TestOnnxRuntimeStreams)

} // namespace tst_onnxruntime_streams
#include "tst_onnxruntime_streams.moc"
