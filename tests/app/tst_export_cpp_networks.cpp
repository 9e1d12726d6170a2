// export --format cpp of the built-in networks: built, it computes what `run` and ONNX Runtime compute. Takes minutes.
// STAGECRAFT_ALL_NETWORKS=1 adds those whose operators another one has, and which take the longest.

#include "support/cli_process.h"
#include "support/exported_project.h"
#include "support/peer_python.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_cpp_networks {

class TestExportCppNetworks : public QObject {
    Q_OBJECT

private slots:
    void export_network_computesWhatRunAndOnnxruntimeCompute_data();
    void export_network_computesWhatRunAndOnnxruntimeCompute();
};

void TestExportCppNetworks::export_network_computesWhatRunAndOnnxruntimeCompute_data()
{
    QTest::addColumn<QString>("network");
    const Answer models = cli({"models", "--json"});
    for (const QJsonValue &model : models.json()["models"].toArray()) {
        const QByteArray name = model["name"].toString().toUtf8();
        const bool isLike = QByteArrayList{"resnet101", "nasnet", "resnext29", "alexnet"}.contains(name);
        if (name != "squeezenet" && // tst_export_cpp has it
            (!isLike || qEnvironmentVariableIsSet("STAGECRAFT_ALL_NETWORKS")))
            QTest::newRow(name) << QString::fromUtf8(name);
    }
}

void TestExportCppNetworks::export_network_computesWhatRunAndOnnxruntimeCompute()
{
    QFETCH(const QString, network);
    const QTemporaryDir folder;
    const auto at = [&](const char *name) { return folder.filePath(name); };
    const Answer answer = cli({"export", network, "ios-both", "-d", "sim:v100", "--format", "cpp", "-o", at("net")});
    QVERIFY2(answer.status == 0, answer.err);
    const Finished built = build(at("net"), at("build"));
    QVERIFY2(built.status == 0, built.text);

    Shape input;
    const Answer info = cli({"info", network, "--json"});
    for (const QJsonValue &size : info.json()["inputs"][0]["dims"].toArray())
        input.dims.push_back(size.toInteger());
    QVERIFY(writeNpy(at("x.npy").toStdString(), image(input)));
    const Finished ran =
        start(folder.filePath("build/" + network + "-run"), {"--input", at("x.npy"), "--output", at("y.npy")});
    QVERIFY2(ran.status == 0, ran.text);
    QCOMPARE(cli({"export", network, "ios-both", "-d", "sim:v100", "--format", "json", "-o", at("best.json")}).status,
             0);
    const Answer own = cli({"run", network, "--schedule", at("best.json"), "-i", at("x.npy"), "-o", at("own.npy")});
    QVERIFY2(own.status == 0, own.err);
    QVERIFY2(difference(at("y.npy"), at("own.npy")) <= 1e-6, "not what `run` computes");

    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("without ONNX Runtime outputs are compared with `run` alone");
    QCOMPARE(cli({"convert", network, "-o", at("net.onnx")}).status, 0);
    const Finished judged = judge(python, at("net.onnx"), at("x.npy"), at("judge.npy"));
    QVERIFY2(judged.status == 0, judged.text);
    QVERIFY2(difference(at("y.npy"), at("judge.npy")) <= 1e-4, "not what ONNX Runtime computes");
}

STAGECRAFT_SUITE(TestExportCppNetworks)

} // namespace tst_export_cpp_networks
#include "tst_export_cpp_networks.moc"
