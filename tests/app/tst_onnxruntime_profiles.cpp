// Profiles that ONNX Runtime makes of every built-in network: all time of nodes is mapped as exported, and nearly all
// where its optimiser has renamed and fused nodes and put reorderings between them. Needs a Python with onnxruntime,
// see packaging/test.sh; skipped with the reason if there is none.

#include "flow/open_model.h"
#include "support/cli_process.h"
#include "support/peer_python.h"
#include "support/suite.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnxruntime_profiles {

class TestProfilesOfOnnxRuntime : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void profile_builtInNetworks_mapTheirTime_data();
    void profile_builtInNetworks_mapTheirTime();

private:
    QString m_python;
};

void TestProfilesOfOnnxRuntime::initTestCase()
{
    m_python = pythonWith("onnxruntime, numpy");
    if (m_python.isEmpty())
        QSKIP("there is no Python with onnxruntime; packaging/test.sh installs it");
}

void TestProfilesOfOnnxRuntime::profile_builtInNetworks_mapTheirTime_data()
{
    QTest::addColumn<QString>("network");
    for (const BuiltInModel &model : builtInModels()) {
        if (model.name != "resnext29" && model.name != "alexnet") // more than 60 million weights, half a minute each
            QTest::newRow(model.name.c_str()) << QString::fromStdString(model.name);
    }
}

void TestProfilesOfOnnxRuntime::profile_builtInNetworks_mapTheirTime()
{
    QFETCH(QString, network);
    const QTemporaryDir folder;
    const QString model = folder.filePath(network + ".onnx");
    QCOMPARE(cli({"convert", network, "-o", model}).status, 0);
    for (const auto &[optimiser, least] : {std::pair("none", 1.0), std::pair("all", 0.98)}) {
        const QString file = folder.filePath(QString("%1.json").arg(optimiser));
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(m_python, {sourcePath("tests/app/profile_with_onnxruntime.py"), model, optimiser, "3", file});
        QVERIFY(process.waitForFinished(280'000));
        QVERIFY2(process.exitCode() == 0, process.readAll());
        for (const QString &opened : {model, network}) { // as exported, and as the built-in it was made from
            const Answer answer = cli({"profile", opened, file, "--json"});
            QVERIFY2(answer.status == 0, answer.err);
            const QJsonObject json = answer.json();
            const double share = json["mapped_us"].toDouble() / json["sum_us"].toDouble();
            QVERIFY2(share >= least, qPrintable(QString("%1 of %2 mapped, %3").arg(share).arg(opened, optimiser)));
            QCOMPARE(json["iterations"].toInt(), 3);
        }
    }
}

STAGECRAFT_SUITE(TestProfilesOfOnnxRuntime)

} // namespace tst_onnxruntime_profiles
#include "tst_onnxruntime_profiles.moc"
