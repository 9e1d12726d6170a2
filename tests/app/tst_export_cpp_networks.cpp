// export --format cpp of the built-in networks: built, it computes what `run` and ONNX Runtime compute. Takes minutes.
// STAGECRAFT_ALL_NETWORKS=1 adds those whose operators another one has, and which take the longest.

#include "support/cli_process.h"
#include "support/exported_project.h"
#include "support/peer_python.h"
#include "support/suite.h"

#include <QFileInfo>
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
    void export_operatorWithoutKernel_isRefusedByName_data();
    void export_operatorWithoutKernel_isRefusedByName();
};

void TestExportCppNetworks::export_network_computesWhatRunAndOnnxruntimeCompute_data()
{
    QTest::addColumn<QString>("network");
    const Answer models = cli({"models", "--json"});
    for (const QJsonValue &model : models.json()["models"].toArray()) {
        const QByteArray name = model["name"].toString().toUtf8();
        const bool isElsewhere =
            QByteArrayList{"squeezenet", "moe", "dlrm"}.contains(name); // tst_export_cpp, and below
        const bool isLike =
            QByteArrayList{"resnet101", "nasnet", "resnext29", "alexnet", "heads", "mla", "nasnet_cifar", "googlenet"}
                .contains(name);
        if (!isElsewhere && (!isLike || qEnvironmentVariableIsSet("STAGECRAFT_ALL_NETWORKS")))
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

    QStringList inputs; // NAME=FILE
    const Answer info = cli({"info", network, "--json"});
    for (const QJsonValue &input : info.json()["inputs"].toArray()) {
        Shape shape;
        for (const QJsonValue &size : input["dims"].toArray())
            shape.dims.push_back(size.toInteger());
        const QString file = folder.filePath(QString("x%1.npy").arg(inputs.size()));
        QVERIFY(writeNpy(file.toStdString(), image(shape)));
        inputs.append(input["name"].toString() + '=' + file);
    }
    const auto with = [&](QStringList words, const QString &option) {
        for (const QString &input : inputs)
            words += {option, input};
        return words;
    };
    const Finished ran =
        start(folder.filePath("build/" + network + "-run"), with({"--output", at("y.npy")}, "--input"));
    QVERIFY2(ran.status == 0, ran.text);
    QCOMPARE(cli({"export", network, "ios-both", "-d", "sim:v100", "--format", "json", "-o", at("best.json")}).status,
             0);
    const Answer own = cli(with({"run", network, "--schedule", at("best.json"), "-o", at("own.npy")}, "-i"));
    QVERIFY2(own.status == 0, own.err);
    QVERIFY2(difference(at("y.npy"), at("own.npy")) <= 1e-6, "not what `run` computes");

    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("without ONNX Runtime outputs are compared with `run` alone");
    QCOMPARE(cli({"convert", network, "-o", at("net.onnx")}).status, 0);
    const Finished judged = judge(python, at("net.onnx"), inputs, at("judge.npy"));
    QVERIFY2(judged.status == 0, judged.text);
    QVERIFY2(difference(at("y.npy"), at("judge.npy")) <= 1e-4, "not what ONNX Runtime computes");
}

void TestExportCppNetworks::export_operatorWithoutKernel_isRefusedByName_data()
{
    QTest::addColumn<QString>("network");
    QTest::addColumn<QByteArray>("refused");
    QTest::newRow("values of the largest") << "moe" << QByteArray("operator layer0/routed/router/topk: ");
    QTest::newRow("rows by computed numbers") << "dlrm" << QByteArray("operator table0/lookup: ");
}

void TestExportCppNetworks::export_operatorWithoutKernel_isRefusedByName()
{
    QFETCH(const QString, network);
    QFETCH(const QByteArray, refused);
    const QTemporaryDir folder;
    const QString project = folder.filePath("net");
    const Answer answer = cli({"export", network, "sequential", "-d", "sim:v100", "--format", "cpp", "-o", project});
    QCOMPARE(answer.status, 3);
    QVERIFY2(answer.err.contains(refused + "an exported project has no kernel for this operator"), answer.err);
    QVERIFY2(answer.err.contains("Run it with stagecraft-cli run"), answer.err);
    QVERIFY(!QFileInfo::exists(project));
}

STAGECRAFT_SUITE(TestExportCppNetworks)

} // namespace tst_export_cpp_networks
#include "tst_export_cpp_networks.moc"
