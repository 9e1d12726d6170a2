// Each pass alone, all but each, and all together keep the outputs of a model, in the judgement of ONNX Runtime. Needs
// a Python with onnx and onnxruntime: STAGECRAFT_PYTHON, or build/peers, which packaging/test.sh creates; skipped with
// the reason if there is none.

#include "support/peer_python.h"

#include <QProcess>
#include <QTest>

using namespace stagecraft;

class TestPasses : public QObject {
    Q_OBJECT

private slots:
    void run_everySettingOfPasses_computesTheSame();
};

void TestPasses::run_everySettingOfPasses_computesTheSame()
{
    const QString python = test::pythonWith("onnx, onnxruntime");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx and onnxruntime; packaging/test.sh installs them");
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python, {STAGECRAFT_SOURCE_DIR "/tests/app/pass_outputs.py", STAGECRAFT_BIN_DIR "/stagecraft-cli"});
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
}

QTEST_GUILESS_MAIN(TestPasses)
#include "tst_passes.moc"
